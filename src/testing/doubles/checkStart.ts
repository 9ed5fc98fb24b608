/** The refusals of a real run or session before its start, but those of the machine: directories and programs. */
import { Result, Struct } from "effect"
import { acceptParams, type CommonParams, type ParamsPlan } from "../../agents/engine/prepare.ts"
import { acceptOpenParams } from "../../agents/session/openParams.ts"
import type { Cli } from "../../cli/Cli.ts"
import { unread } from "../../cli/Decoder.ts"
import type { Live } from "../../cli/Live.ts"
import { type FailureReason, UnsupportedOption } from "../../contract/AgentError.ts"
import { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import { checkCommandLine, composeEnvironment } from "../../system/process/HostEnvironment.ts"

const anyLive: Pick<Live, "supports" | "plan"> = {
  supports: new Set(Struct.keys(AgentOpenParams.fields)),
  plan: () => Result.succeed({ args: [], files: [], env: {} })
}

/** The default CLI of scripted runs and sessions: accepts the params of every CLI, and is never started. */
export const anyCli: Cli = {
  id: "test",
  command: "test",
  testedVersion: "0",
  install: "it is missing",
  signIn: "it is not needed",
  stopSignal: "SIGTERM",
  idle: "1 minute",
  sessionMarkers: [],
  apiKeys: [],
  paysByApiKey: () => true,
  supports: new Set(Struct.keys(AgentExecuteParams.fields)),
  plan: () => Result.succeed({ args: [], files: [], stdin: "", env: {} }),
  decoder: () => unread
}

const checkStart = <Params extends CommonParams>(
  cli: Cli,
  input: unknown,
  { accept, plan: planOf }: ParamsPlan<Params>
) =>
  Result.gen(function* () {
    const params = yield* accept(input)
    const workingDirectory = params.workingDirectory ?? "/"
    const parts = { host: {}, cli, options: {}, params: params.env ?? {}, workingDirectory, runId: "scripted" }
    const env = yield* composeEnvironment(parts)
    const plan = yield* planOf(params, {}, { env, workingDirectory, privateDirectory: "/scripted" })
    yield* checkCommandLine(plan.args, { ...env, ...plan.env })
    return params
  })

export const checkRun = (cli: Cli, input: unknown) =>
  checkStart(cli, input, { accept: (value) => acceptParams(cli, value), plan: cli.plan })

export const checkSession = (cli: Cli, input: unknown) => {
  const live = cli === anyCli ? anyLive : cli.live
  if (live === undefined) {
    const reason: FailureReason = new UnsupportedOption({ option: "live session", cli: cli.id })
    return Result.fail(reason)
  }
  return checkStart(cli, input, { accept: (value) => acceptOpenParams(cli, live, value), plan: live.plan })
}
