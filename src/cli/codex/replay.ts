/**
 * Codex prints a finished message again when the connection broke behind it and the request is repeated: the same text
 * under a new id, after a "Reconnecting" line (0.169.0). This tells what was said before from what is new. Where the
 * broken answer had begun is not told, so a retry may repeat any stretch of what was said since the last tool call.
 */

export interface Replay {
  /** What the model said since the last tool call, in order. */
  readonly said: ReadonlyArray<string>
  /** Where in `said` the attempt under way may stand; nowhere if it has said something new. */
  readonly at: ReadonlyArray<number>
}

export const empty: Replay = { said: [], at: [] }

/** The request is repeated: what it gave may come again. */
export const retried = ({ said }: Replay): Replay => ({ said, at: said.map((_, index) => index) })

export interface Heard {
  readonly replay: Replay
  readonly isNew: boolean
}

export const hear = ({ said, at }: Replay, piece: string): Heard => {
  const next = at.filter((index) => said[index] === piece).map((index) => index + 1)
  if (next.length > 0) return { replay: { said, at: next }, isNew: false }
  return { replay: { said: [...said, piece], at: [] }, isNew: true }
}
