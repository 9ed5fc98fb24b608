/**
 * Messages of the model in a run (0.169.0): they come whole; two of them are separated by a blank line, which the later one
 * adds. If the connection broke after a finished message, Codex prints it again, under a new id, after a "Reconnecting" line.
 * The start of the broken answer is not marked, so a retry may repeat any stretch of messages since the last tool call.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { Message } from "../wire.ts"

/** Distinguishes repeated messages from new ones. */
export interface Replay {
  /** Adds the piece, and returns whether it is new. */
  readonly isNew: (piece: string) => boolean
  /** The request is repeated: its messages may come again. */
  readonly retry: () => void
  /** A tool was called: earlier messages do not come again. */
  readonly forget: () => void
}

export const makeReplay = (): Replay => {
  /** Messages of the model since the last tool call, in order. */
  let pieces: Array<string> = []
  /** Positions in `pieces` that the current attempt may have reached; empty if it has printed something new. */
  let at: ReadonlyArray<number> = []
  return {
    isNew: (piece) => {
      at = at.filter((index) => pieces[index] === piece).map((index) => index + 1)
      if (at.length > 0) return false
      pieces.push(piece)
      return true
    },
    retry: () => {
      at = pieces.map((_, index) => index)
    },
    forget: () => {
      if (pieces.length > 0) pieces = []
      at = []
    }
  }
}

export interface Messages extends Pick<Replay, "retry" | "forget"> {
  readonly completed: (message: Message) => ReadonlyArray<AgentEvent>
  /** The text of the last one. */
  readonly last: () => string | undefined
}

export const makeMessages = (): Messages => {
  const { isNew, retry, forget } = makeReplay()
  let last: string | undefined
  return {
    completed: ({ type, text }) => {
      if (!isNew(`${type} ${text}`) || text === "") return []
      if (type === "reasoning") return [{ type: "thinking", text }]
      const lead = last === undefined ? "" : "\n\n"
      last = text
      return [{ type: "text", text: lead + text }]
    },
    retry,
    forget,
    last: () => last
  }
}
