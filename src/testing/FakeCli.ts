/**
 * A stand-in for one of the CLIs: a script of what it says and does, as plain data. Put where a command is expected, a
 * real process performs it, with no model, no account and no network.
 */
import type { CliId } from "../contract/CliId.ts"
import { blanks } from "./blanks.ts"
import type { Dialect } from "./dialect.ts"
import { checkedId, dialects } from "./dialects.ts"
import { type Fake, type InstalledCli, installFake, type LiveAgent, performancesOf } from "./InstalledCli.ts"
import { InvalidFake } from "./InvalidFake.ts"
import type { UnnamedPerformance } from "./instructions.ts"
import { instructionsOf, isDeaf } from "./instructionsOf.ts"
import type { LiveStep } from "./LiveStep.ts"
import { liveScripts } from "./liveScripts.ts"
import { type ReplayOptions, replayed } from "./Replayed.ts"
import type { Step } from "./Step.ts"
import { speak } from "./speak.ts"

/** The defaults of a script. */
export interface FakeCliOptions {
  /**
   * Of the session that it opens. Default: one in the CLI's own form, the same for all starts of this fake. A start whose
   * arguments name or resume a session says that one.
   */
  readonly sessionId?: string
  /** `meanwhile`: does not wait for the end of stdin before the first step, as real CLIs do. Default: `first`. */
  readonly stdin?: "first" | "meanwhile"
}

/** A script for one CLI, as plain data, safe to keep as JSON for this version of the package. */
export interface FakeCli extends Fake {}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Tests in several processes would wait for each other, if all fakes had the same session. */
const another = (example: string) => {
  const id = crypto.randomUUID()
  return uuid.test(example) ? id : example.slice(0, -28) + id.replaceAll("-", "").slice(0, 28)
}

const fakeOf = (cli: LiveAgent, ...performances: ReadonlyArray<UnnamedPerformance>): FakeCli => ({ cli, performances })

const scripted =
  (cli: CliId, dialect: Dialect) =>
  (
    steps: ReadonlyArray<Step>,
    { sessionId = another(dialect.sessionId), stdin = "first" }: FakeCliOptions = {}
  ): FakeCli => {
    const instructions = instructionsOf(speak(dialect, steps, blanks))
    const { modeArgument } = dialect
    return fakeOf(cli, {
      sessionId,
      sessionArguments: dialect.sessionArguments,
      ...(modeArgument === undefined ? {} : { modeArgument }),
      liveArgument: dialect.liveArgument,
      deaf: isDeaf(steps),
      stdin,
      instructions
    })
  }

/** Makes fakes, and puts them where a CLI is expected. */
export const FakeCli = {
  /** Claude Code, which takes this script for its own. Throws `InvalidFake` for what it cannot say. */
  claude: scripted("claude", dialects.claude),
  /** Gemini CLI. Throws `InvalidFake`. It has no thoughts and no retries on stdout. */
  gemini: scripted("gemini", dialects.gemini),
  /** Codex. Throws `InvalidFake`. It has tools of its own only, and no cost. */
  codex: scripted("codex", dialects.codex),
  /** OpenCode. Throws `InvalidFake`. It tells a tool call when that has ended. */
  opencode: scripted("opencode", dialects.opencode),
  /**
   * Recorded output of a real CLI: the lines of `record`, with or without their timing. Nothing of the process
   * is in a recording: unless `end` says more, it leaves with 0. Throws `InvalidFake` for what cannot be read.
   */
  replay: (cli: CliId, file: string, options: ReplayOptions = {}): FakeCli => {
    const dialect = dialects[checkedId(cli)]
    const steps = replayed(file, options)
    return fakeOf(cli, {
      sessionId: dialect.sessionId,
      sessionArguments: { named: [], resumed: [], forked: [] },
      liveArgument: dialect.liveArgument,
      deaf: isDeaf(steps),
      stdin: "first",
      instructions: instructionsOf(steps)
    })
  },
  /**
   * A live session: one script for each turn, the last one for all that follow. It speaks the CLI's own protocol, takes
   * what is decided and answered, interrupts, changes of model and mode. `acp` is an agent of the Agent Client Protocol,
   * for `createAcpAgent` and `Acp.layer`. Started for a run it says so and leaves; so does a fake of runs that is opened
   * live. Throws `InvalidFake` for what the agent cannot do.
   */
  live: (cli: LiveAgent, turns: ReadonlyArray<ReadonlyArray<LiveStep>>): FakeCli => {
    const liveArgument = cli === "acp" ? {} : { liveArgument: dialects[checkedId(cli)].liveArgument }
    return fakeOf(cli, {
      sessionId: "",
      sessionArguments: { named: [], resumed: [], forked: [] },
      deaf: false,
      stdin: "meanwhile",
      instructions: [],
      ...liveArgument,
      live: { peer: cli === "acp" ? "agent" : cli, scripts: liveScripts(cli, turns) }
    })
  },
  /**
   * One start after the other: the first start performs the first, the next one the next, and the last goes on, such as
   * a refusal and then an answer. All are fakes of one CLI. Throws `InvalidFake`.
   */
  inTurn: (first: FakeCli, ...others: ReadonlyArray<FakeCli>): FakeCli => {
    const other = others.find(({ cli }) => cli !== first.cli)
    if (other === undefined) return fakeOf(first.cli, ...[first, ...others].flatMap(performancesOf))
    throw new InvalidFake({
      subject: `a fake of ${other.cli}`,
      problem: `does not take turns with one of ${first.cli}`
    })
  },
  /**
   * `await using cli = await FakeCli.install(fake)`; `command: cli.command` makes an agent start it.
   * It lies in a folder for temporary files until it is disposed.
   */
  install: async (fake: FakeCli): Promise<InstalledCli & AsyncDisposable> => {
    const { cli, remove } = installFake(fake)
    return { ...cli, [Symbol.asyncDispose]: async () => remove() }
  }
}
