import { describe, expect, test } from 'vitest'
import { readErrorReply } from './error-replies.ts'

const REPLIES: ReadonlyArray<[reply: string, outcome: string, isConnectionUseless: boolean]> = [
  ['LOADING Redis is loading the dataset in memory', 'unsent', true],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'unsent', true],
  ['CLUSTERDOWN The cluster is down', 'unsent', true],
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'unsent', true],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', 'unsent', false],
  ["READONLY You can't write against a read only replica.", 'stale', true],
  ['NOREPLICAS Not enough good replicas to write.', 'stale', true],
  ["ERR Error running script (call to f_0a): @user_script:12: @user_script: 12: -READONLY You can't write", 'stale', true],
  ["OOM command not allowed when used memory > 'maxmemory'.", 'rejected', false],
  ['MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk.', 'rejected', false],
  [
    "ERR Error running script (call to f_0a): @user_script:3: -OOM command not allowed when used memory > 'maxmemory'.",
    'rejected',
    false,
  ],
  ['NOAUTH Authentication required.', 'rejected', true],
  ['WRONGPASS invalid username-password pair or user is disabled.', 'rejected', true],
  ["NOPERM User app has no permissions to run the 'eval' command", 'rejected', false],
  ['MOVED 866 127.0.0.1:7001', 'rejected', false],
  ["CROSSSLOT Keys in request don't hash to the same slot", 'rejected', false],
  ['ERR unknown command', 'rejected', false],
  ['ERR max number of clients reached', 'unsent', true],
  ['Connection is closed.', 'unknown', false],
  ["Stream isn't writeable and enableOfflineQueue options is false", 'unknown', false],
  ['Socket closed unexpectedly', 'unknown', false],
  ['The client is closed', 'unknown', false],
]

describe('an error reply of Redis', () => {
  test.each(REPLIES)('%s', (reply, outcome, isConnectionUseless) => {
    expect(readErrorReply(new Error(reply))).toMatchObject({ outcome, isConnectionUseless })
  })
})
