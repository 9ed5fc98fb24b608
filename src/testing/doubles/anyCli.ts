/** The CLI of scripted runs and sessions for which none is chosen: it takes the params of every CLI, and is never started. */
import { Result, Struct } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import { unread } from "../../cli/Decoder.ts"
import type { Live } from "../../cli/Live.ts"
import { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { AgentOpenParams } from "../../contract/AgentOpenParams.ts"

export const anyLive: Pick<Live, "supports" | "plan"> = {
  supports: new Set(Struct.keys(AgentOpenParams.fields)),
  plan: () => Result.succeed({ args: [], files: [], env: {} })
}

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
  decoder: () => unread
}
