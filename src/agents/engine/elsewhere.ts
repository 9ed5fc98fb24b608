/** Whether the session that a turn resumes belongs to another directory, where the CLI would not find it. */
import { realpath } from "node:fs/promises"
import { Effect } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import { SessionElsewhere } from "../../contract/AgentError.ts"
import type { Prepared } from "./prepare.ts"

/** A look that takes longer is given up. */
const longestMs = 2_000

const isSame = async (one: string, other: string): Promise<boolean> => {
  if (one === other) return true
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)))
  return a === b
}

type Resumed = Pick<Prepared, "params" | "env" | "workingDirectory">

/** The directory of the session; undefined if it is unknown, or this one. */
const directoryOf = async (
  cli: Cli,
  { params: { sessionId }, env, workingDirectory }: Resumed,
  signal: AbortSignal
): Promise<string | undefined> => {
  if (sessionId === undefined) return undefined
  const { findStored } = await import("../../cli/stored/find.ts")
  const found = await findStored({ cli, env }, sessionId, signal, true)
  const directories = found?.directories ?? []
  for (const directory of directories) if (await isSame(directory, workingDirectory)) return undefined
  return directories[0]
}

/** Fails if the session belongs to another directory, and the CLI cannot resume it from this one. */
export const checkElsewhere = (cli: Cli, prepared: Resumed): Effect.Effect<void, SessionElsewhere> | undefined => {
  const { params, workingDirectory } = prepared
  const { sessionId } = params
  if (sessionId === undefined || cli.resumesElsewhere !== false || cli.stored === undefined) return undefined
  const limited = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
  return Effect.flatMap(
    Effect.promise((signal) => directoryOf(cli, prepared, limited(signal)).catch(() => undefined)),
    (directory) =>
      directory === undefined
        ? Effect.void
        : Effect.fail(new SessionElsewhere({ sessionId, directory, asked: workingDirectory }))
  )
}
