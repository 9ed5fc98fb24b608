/** The operations on the sessions of a store, with the guard: what is used is known, and is not changed. */
import { Effect } from "effect"
import { holdSubject } from "../../agents/guard/holdSubject.ts"
import type { Subject } from "../../agents/guard/subject.ts"
import { whoHolds } from "../../agents/guard/whoHolds.ts"
import { makeRunId } from "../../system/process/host.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { HistoryCli } from "./context.ts"
import type { History } from "./History.ts"
import { makeHistory } from "./makeHistory.ts"

const held = (subject: Subject) =>
  Effect.flatMap(makeRunId, (runId) =>
    holdSubject({ subject, runId, isPatient: false, patienceMs: 0, queued: () => {} })
  )

export const guardedHistory = (store: OpenStore, clis: ReadonlyArray<HistoryCli>): History =>
  makeHistory({
    store,
    clis,
    whoHolds: (cli, sessionId) => whoHolds({ what: "session", cli, sessionId }),
    holdSession: (cli, sessionId) => held({ what: "session", cli, sessionId }),
    // Those of a store in memory are held by each `Sessions` for itself.
    holdConversation: (key) =>
      store.kind === "memory" ? Effect.void : held({ what: "conversation", key, store: store.place })
  })
