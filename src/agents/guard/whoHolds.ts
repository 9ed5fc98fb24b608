/** Tells who holds a session or a conversation, without disturbing the lock. */
import { Effect } from "effect"
import type { SessionHolder } from "../../contract/SessionHolder.ts"
import { isLocked } from "../../system/locks/fileLocks.ts"
import { isHostAlive } from "../../system/locks/hostIdentity.ts"
import { asHolder, hostIdOf, readHolder } from "./holderFile.ts"
import { findPlace } from "./place.ts"
import type { Subject } from "./subject.ts"

/** Undefined if nobody holds it. Fails never: what cannot be read holds nothing. */
export const whoHolds = (subject: Subject): Effect.Effect<SessionHolder | undefined> =>
  Effect.gen(function* () {
    const place = yield* findPlace(subject)
    const holder = yield* readHolder(place)
    if (holder === undefined || holder === "unreadable") return undefined
    const { pid, start, realm } = holder
    // Of another container the lock alone tells.
    const isAlive = yield* isHostAlive({ id: hostIdOf(holder), pid, start, realm })
    return (isAlive ?? (yield* isLocked(place.lock))) ? asHolder(holder) : undefined
  }).pipe(Effect.orElseSucceed(() => undefined))
