/** Sessions and transcripts as rows, for tests. */
import { Effect, Stream } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { Observer } from "../../../src/contract/Observer.ts"
import type { PromptEvent } from "../../../src/contract/Sessions.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { transcriptEvents } from "../../../src/conversations/transcript/events.ts"

export interface SessionColumns {
  readonly key: string
  readonly session_id: string
  readonly used: number
  readonly [column: string]: unknown
}

export const addSession = ({ sql, transact, home }: OpenStore, columns: Partial<SessionColumns> = {}) => {
  const key = columns.key ?? "key-1"
  const row = {
    home,
    cli: "claude",
    session_id: `id-of-${key}`,
    origin: "reins",
    state: "live",
    created: 1,
    used: 1,
    ...columns,
    key
  }
  return transact(sql`insert into sessions ${sql.insert(row)}`)
}

export const addRow = ({ sql, transact }: OpenStore, position: number, event: string, key = "key-1") =>
  transact(sql`insert into transcript ${sql.insert({ session_key: key, position, run_id: "r", at: 1, event })}`)

/** The present rows. */
export const transcriptOf = (store: OpenStore, key = "key-1", after = 0) =>
  Stream.runCollect(transcriptEvents(store, key, { after, follow: false }))

export const sessionEvent = (key = "key-1"): AgentEvent => ({ type: "session", sessionId: `id-of-${key}` })
export const text = (content: string): AgentEvent => ({ type: "text", text: content })
export const prompt = (content: string): PromptEvent => ({ type: "prompt", text: content })

let runs = 0

/** A run as an observer gets it. */
export const observedRun = (observer: Observer | undefined, request: string, redact = (input: string) => input) => {
  const id = `run-${++runs}`
  const observation = observer?.begin(
    { type: "run", id, cli: "claude", workingDirectory: "/", limits: {}, params: { prompt: request } },
    redact
  )
  let position = 0
  return {
    id,
    give: (...events: ReadonlyArray<AgentEvent>) =>
      Effect.sync(() => {
        observation?.events?.({ position, atMs: 1_000 + position, events })
        position += events.length
      }),
    end: Effect.sync(() =>
      observation?.end?.({
        result: {
          outcome: "completed",
          reason: "completed",
          text: "",
          sessionId: undefined,
          durationMs: 0,
          usage: undefined,
          aborted: false
        },
        failure: undefined,
        hadOutput: true
      })
    )
  }
}
