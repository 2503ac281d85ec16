/** For tests of servers and clients, with any test runner: pairs, assertions, recordings, a clock, faults, contracts. @module */

export { type RecordOptions, recordChannel, recordExchange } from '../recording/record.ts'
export { type Recording, type RecordingEntry, readRecording } from '../recording/recording.ts'
export {
  type ReplayExchangeOptions,
  type Replayer,
  type ReplayOptions,
  replayChannel,
  replayExchange,
} from '../recording/replay.ts'
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
} from '../testing/assertions.ts'
export { busContract } from '../testing/contracts/bus-contract.ts'
export type { ContractSubject, TestFramework } from '../testing/contracts/contract.ts'
export { type LogBounds, logContract } from '../testing/contracts/log-contract.ts'
export { type OpenQueue, queueContract } from '../testing/contracts/queue-contract.ts'
export { storeContract } from '../testing/contracts/store-contract.ts'
export {
  type EventReceiver,
  type EventReceiverAnswer,
  type EventReceiverOptions,
  eventReceiver,
  type ReceivedDelivery,
} from '../testing/events/event-receiver.ts'
export { type ClockTimer, createFakeClock, type FakeClock, type InstalledClock, type SetTimer } from '../testing/fake-clock.ts'
export { type ChannelFaults, faultyChannel, type MessageFaults } from '../testing/faults/faulty-channel.ts'
export {
  type FaultyProxy,
  type FaultyProxyOptions,
  faultyProxy,
  type ProxyFaults,
  type StreamFaults,
} from '../testing/faults/faulty-proxy.ts'
export { type FaultyStores, faultyStores, type StoreFault, type StoreFaults } from '../testing/faults/faulty-stores.ts'
export {
  authorizationServer,
  type IssuedTokenOptions,
  type TestAuthorizationServer,
} from '../testing/oauth/authorization-server.ts'
export type { AuthorizationFaults, EndpointFault, FaultyResponse } from '../testing/oauth/faults.ts'
export type {
  AuthorizationServerOptions,
  ClientMetadata,
  KeySet,
  MetadataLocation,
  TokenLifetimes,
  TrustedIssuer,
  UserDecision,
  UserDecisionRequest,
} from '../testing/oauth/options.ts'
export type { OAuthEndpoint, OAuthRequest } from '../testing/oauth/request.ts'
export { connectPair, type PairedClient, type PairOptions, type PairTransport } from '../testing/pair/pair.ts'
