import type { Endpoint, Visit } from '../endpoint.ts'
import type { Reading } from './entries.ts'
import { createFollower, type Follower } from './follower.ts'
import type { Lease } from './lease.ts'
import type { Member } from './registry.ts'

/** A stream that is read here and written elsewhere. */
export interface Followed {
  readonly follower: Follower
  readonly member: Member
  readonly name: string
  /** The request that is answered with it. */
  readonly visit: Visit
}

/** All streams that are read here and written elsewhere. */
export interface Followers {
  /** Answers a request with what was read of a stream, and with what is added to it. */
  follow(member: Member, start: FollowStart): void
  all(): Followed[]
}

export interface FollowStart {
  readonly name: string
  /** The position of the last event that the client has. */
  readonly after: string
  readonly visit: Visit
  /** What comes after that. */
  readonly reading: Reading
}

/** Makes the register of what is followed. */
export function createFollowers({ endpoint, lease }: { readonly endpoint: Endpoint; readonly lease: Lease }): Followers {
  const followed = new Set<Followed>()
  return {
    follow(member, { name, after, visit, reading }) {
      const { ledger, followers, page } = member
      followers.get(name)?.end()
      const onClose = (): void => {
        followed.delete(entry)
        if (followers.get(name) === follower) followers.delete(name)
      }
      const where = { endpoint, ledger, tag: page.record.tag, name, after }
      const follower = createFollower({ ...where, reply: visit.reply, held: lease.held }, reading)
      const entry: Followed = { follower, member, name, visit }
      if (follower.closed) return
      followers.set(name, follower)
      followed.add(entry)
      follower.onClose(onClose)
      follower.pull()
    },
    all: () => [...followed],
  }
}
