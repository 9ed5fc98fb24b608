/** Writes transcripts: prompts and events of each run and live session, without secrets. */
import { Effect, type Scope } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Observation, Observer } from "../../contract/Observer.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { pruneTranscripts } from "./rows.ts"
import { makeTranscriptWriter, type TranscriptWriter } from "./writer.ts"

/** A turn without its end. */
interface OpenTurn {
  readonly id: string
  readonly prompt: string
  isWritten: boolean
}

const sessionIdOf = (event: AgentEvent) =>
  event.type === "session" && event.parentToolId === undefined ? event.sessionId : undefined

const observerOf = (writer: TranscriptWriter): Observer => {
  /** Running and waiting turns of each live session. */
  const turnsOf = new Map<string, Array<OpenTurn>>()
  const observeTurn = (turns: Array<OpenTurn>, turn: OpenTurn): Observation => {
    turns.push(turn)
    // After the batch of events that contains its end.
    const remove = () => turns.splice(turns.indexOf(turn), 1)
    return { end: () => queueMicrotask(remove) }
  }

  return {
    name: "transcript",
    begin: (start, redact) => {
      if (start.type === "turn") {
        const turns = turnsOf.get(start.session.id)
        return turns && observeTurn(turns, { id: start.id, prompt: start.prompt, isWritten: false })
      }
      const { id, cli } = start
      const course = writer.begin({ runId: id, cli, redact })
      const turns: Array<OpenTurn> = start.type === "run" ? [{ id, prompt: start.params.prompt, isWritten: false }] : []
      turnsOf.set(id, turns)
      return {
        events: ({ events, atMs }) => {
          const [turn] = turns
          if (turn?.isWritten === false) {
            turn.isWritten = true
            course.pending.push({ type: "prompt", text: turn.prompt }, atMs)
          }
          for (const event of events) {
            const sessionId = sessionIdOf(event)
            if (sessionId !== undefined) course.opened(sessionId)
            course.pending.push(event, atMs)
          }
          course.wake()
        },
        end: () => {
          turnsOf.delete(id)
          course.end()
        }
      }
    }
  }
}

/** Writes until the scope closes, and up to 3 s more. If none are kept, returns undefined and removes old ones. */
export const makeTranscriptObserver = Effect.fnUntraced(function* (
  store: OpenStore,
  mostPending?: number
): Effect.fn.Return<Observer | undefined, never, Scope.Scope> {
  if (store.keep.transcripts > 0) return observerOf(yield* makeTranscriptWriter(store, mostPending))
  yield* Effect.forkScoped(Effect.ignore(pruneTranscripts(store)))
  return undefined
})
