/** The CLI of given runs for which none is chosen: it takes the params of every CLI, and is never started. */
import { Result, Struct } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"

export const anyCli: Cli = {
  id: "test",
  command: "test",
  testedVersion: "0",
  install: "there is none",
  signIn: "there is no need",
  stopSignal: "SIGTERM",
  idle: "1 minute",
  sessionMarkers: [],
  apiKeys: [],
  paysByApiKey: () => true,
  supports: new Set(Struct.keys(AgentExecuteParams.fields)),
  plan: () => Result.succeed({ args: [], files: [], stdin: "", env: {} }),
  decoder: () => ({
    stages: (use) =>
      use(
        () => undefined,
        () => []
      ),
    standing: () => "working",
    report: () => ({}),
    verdict: () => undefined
  })
}
