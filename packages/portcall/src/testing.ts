/** For tests of servers and clients, with any test runner: pairs, assertions, recordings, a clock, faults, contracts. */
export {
  type AssertedResult,
  assertError,
  assertRejects,
  assertRpcError,
  assertStructured,
  assertText,
  collectChanges,
  type ExpectedRejection,
  textOf,
} from './testing/asserts.ts'
export { authorizationServer, type TestAuthorizationServer, type TokenOptions } from './testing/authorization-server.ts'
export { busContract } from './testing/bus-contract.ts'
export { type Clock, type ClockTimer, createClock, type Installed, type SetTimer } from './testing/clock.ts'
export type { Subject, Suite } from './testing/contract.ts'
export { engineContract, type OpenEngine } from './testing/engine-contract.ts'
export { type FailingStores, failing, type StoreFault, type StoreFaults } from './testing/failing.ts'
export { type ChannelFaults, faultyChannel, type MessageFaults } from './testing/faulty-channel.ts'
export {
  type FaultyProxy,
  type FaultyProxyOptions,
  faultyProxy,
  type ProxyFaults,
  type StreamFaults,
} from './testing/faulty-proxy.ts'
export { type LogBounds, logContract } from './testing/log-contract.ts'
export type { AuthorizationFaults, EndpointFault, FaultyAnswer } from './testing/oauth/faults.ts'
export type {
  AuthorizationServerOptions,
  ClientMetadata,
  ConsentRequest,
  Decision,
  KeySet,
  Lifetimes,
  MetadataPlace,
  TrustedIssuer,
} from './testing/oauth/options.ts'
export type { Endpoint, OAuthRequest } from './testing/oauth/request.ts'
export { type PairedClient, type PairOptions, type PairTransport, pair } from './testing/pair.ts'
export { type Player, type PlayOptions, playChannel, playExchange } from './testing/play.ts'
export { type RecordOptions, recordChannel, recordExchange } from './testing/record.ts'
export { type Entry, type Recording, readRecording } from './testing/recording.ts'
export { storeContract } from './testing/store-contract.ts'
