/** An authorization server in front of an identity provider, for clients that cannot register there. @module */

export type {
  Identity,
  MetadataDocumentOptions,
  OAuthProxyOptions,
  ProxyClientAuthMethod,
  ProxyClientRegistration,
  ProxyLifetimes,
  Upstream,
  UpstreamTokens,
} from '../auth/proxy/options.ts'
export { type OAuthProxy, oauthProxy } from '../auth/proxy/proxy.ts'
