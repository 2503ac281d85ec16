/** Server cards and AI catalogs: finds the servers of a domain, and checks cards. @module */
export type { AllowedAddress } from '../auth/client/http/address-policy.ts'
export {
  type DiscoveryAttempt,
  type DomainServer,
  discoverServers,
  type ServerDiscovery,
  type ServerDiscoveryOptions,
} from '../cards/client/discover.ts'
export type { DiscoveredEndpoint, EndpointRelation } from '../cards/client/endpoints.ts'
export type { DocumentOutcome } from '../cards/client/read-document.ts'
export type { DocumentProblem } from '../cards/document-problem.ts'
export {
  compareServerJson,
  createServerJson,
  type ServerJsonOptions,
  serverJsonOf,
  validateServerJson,
} from '../cards/server-json.ts'
export { validateServerCard } from '../cards/validate-card.ts'
export type { CardHeader, CardInput, CardRemote, CardRepository, ServerCard } from '../protocol/server-card.ts'
export type { PackageTransport, RegistryPackage, ServerJson } from '../protocol/server-json.ts'
