/** A session of this home → what goes to another. */
import { Effect } from "effect"
import { exportSession } from "./opencodeProgram.ts"
import { type CliPlace, isMovable, notMoved, type Packed } from "./packed.ts"
import { packFiles } from "./packFiles.ts"
import { asNotMoved } from "./problems.ts"
import { problemOf } from "./sessionFiles.ts"

export interface SessionToPack {
  readonly cli: string
  readonly sessionId: string
  readonly directory: string
  readonly title?: string | undefined
  readonly model?: string | undefined
}

/** The session is held by the caller. */
export const pack = Effect.fnUntraced(function* ({ cli, ...session }: SessionToPack, place: CliPlace) {
  if (!isMovable(cli)) return yield* notMoved("sessions of this CLI cannot be moved")
  const { sessionId, directory } = session
  const files =
    cli === "opencode"
      ? [yield* exportSession({ sessionId, place })]
      : yield* asNotMoved((signal) => packFiles({ cli, sessionId, directory, env: place.env }, signal))
  const packed: Packed = { cli, ...session, files }
  const sizes = files.map(({ path, bytes }) => ({ path, size: bytes.length }))
  const problem = problemOf({ ...packed, files: sizes })
  return problem === undefined ? packed : yield* notMoved(`the session ${problem}`)
})
