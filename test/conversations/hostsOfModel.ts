/** Hosts in one process that can be killed: nothing of one that is dead is released, finished or written any more. */
import { Effect } from "effect"
import { SessionBusy, StoreUnavailable } from "../../src/contract/AgentError.ts"
import { StoreError } from "../../src/contract/StoreError.ts"
import type { OpenStore } from "../../src/conversations/store/OpenStore.ts"
import type { ConversationAgent, ConversationContext } from "../../src/conversations/turns/context.ts"
import { keyText, subjectName } from "../../src/conversations/turns/conversationKey.ts"
import { makeHeldNames } from "../kit/heldNames.ts"

/** The locks of all hosts, as a kernel has them: they fall with their holder. */
export const makeKernel = () => {
  const { makeHolder } = makeHeldNames()

  const makeHost = (agent: ConversationAgent, store: OpenStore) => {
    const { take, isTaken, drop } = makeHolder()
    let isDead = false
    const gone = new StoreError({ reason: new StoreUnavailable({ problem: "the host is dead" }) })
    const context: ConversationContext = {
      areTurnsOfOthers: false,
      agent,
      facts: { canFork: true, isBoundToDirectory: false },
      observers: [],
      store: {
        ...store,
        // Not in its own directory: a dead host keeps no end of a turn either.
        kind: "memory",
        transact: (work) => Effect.suspend(() => (isDead ? Effect.fail(gone) : store.transact(work))),
        read: (work) => Effect.suspend(() => (isDead ? Effect.fail(gone) : store.read(work)))
      },
      turns: {
        areShared: false,
        take: (turnId) => take(`turn ${turnId}`),
        isTaken: (turnId) => isTaken(`turn ${turnId}`)
      },
      hold: (key) =>
        Effect.flatMap(take(keyText(key)), (isMine) =>
          isMine
            ? Effect.succeed({ isWanted: () => false })
            : Effect.fail(new SessionBusy({ what: "conversation", subject: subjectName(key), waitedMs: 0 }))
        )
    }
    const kill = () => {
      isDead = true
      drop()
    }
    return { context, kill }
  }
  return { makeHost }
}
