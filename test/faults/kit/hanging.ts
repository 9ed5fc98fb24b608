/** A run of a CLI that hangs, in one of the ways in which `fixtures/programs/hangs.mjs` does, and what is known of it. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect } from "effect"
import type { Cli } from "../../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { plainSuccessOf, recordingPath } from "../../cli/fixtures.ts"
import { programPath } from "../../kit/agent.ts"
import { processesWith, until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

export const hangs = [
  "never says a word",
  "never says a word and leaves its stdin unread",
  "falls silent",
  "falls silent and is deaf to signals",
  "leaves its stdin unread",
  "leaves its stdin unread and floods stdout",
  "floods stderr and leaves its stdin unread",
  "stays after its last word"
] as const
export type Hang = (typeof hangs)[number]

export interface Hanging {
  readonly cli: Cli
  readonly options: AgentOptions & { readonly timeouts: NonNullable<AgentOptions["timeouts"]> }
  readonly params: AgentExecuteParams
  /** Each of so many processes does what it is there for. */
  readonly ready: (processes?: number) => Effect.Effect<void>
  /** Nothing that was started for it lives. */
  readonly isGone: () => boolean
}

/** The time a run may take to end, however it is ended. */
const graceMs = 300
const lingerMs = 300
export const totalBudgetMs = 1_000
const statedMs = graceMs + lingerMs + 2_000
/** For a machine that does much else. */
const slackMs = 3_000

export const boundMs = statedMs + slackMs

/** Where a CLI takes no more. */
const longestPrompts: Readonly<Record<string, number>> = { gemini: 8_000_000, codex: 1_000_000 }

export const hanging = Effect.fnUntraced(function* (cli: Cli, hang: Hang) {
  const tell = join(yield* makeDirectory, "tell")
  const tag = crypto.randomUUID()
  const isUnread = hang.includes("leaves its stdin unread")
  const file = `--file=${recordingPath(cli, plainSuccessOf(cli))}`
  const hanging: Hanging = {
    cli,
    options: {
      command: process.execPath,
      baseArgs: [programPath("hangs"), file, `--how=${hang}`, `--tell=${tell}`],
      env: { values: { HANGING: tag } },
      killGrace: graceMs,
      timeouts: { linger: lingerMs }
    },
    params: { prompt: isUnread ? "p".repeat(longestPrompts[cli.id] ?? 10_000_000) : "hello" },
    ready: (processes = 1) => until(() => existsSync(tell) && processesWith(tag).length >= processes, 60_000),
    isGone: () => processesWith(tag).length === 0
  }
  return hanging
})

/** Its process has been ended by others than who reads its events. */
export const untilGone = ({ isGone }: Hanging) => until(isGone, 60_000)

/** The milliseconds that it takes. */
export const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(self), ([duration]) => Duration.toMillis(duration))
