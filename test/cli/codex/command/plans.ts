/** Plans of `codex exec` to look at. */
import { Result } from "effect"
import { plan } from "../../../../src/cli/codex/command.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../../src/contract/AgentOptions.ts"
import type { Plan } from "../../../../src/contract/Plan.ts"

export type Params = Partial<AgentExecuteParams>

export const session = "01a1f801-5a3a-7703-8d14-59749c3756b5"
export const privateDirectory = "/private"

export const planned = (params: Params = {}, options: AgentOptions = {}): Plan =>
  Result.getOrThrow(
    plan({ prompt: "hello", ...params }, options, { env: {}, workingDirectory: "/workspace", privateDirectory })
  )

export const argv = ({ args }: Plan) => args.map(({ text }) => text)

export const files = (input: Plan) => Object.fromEntries(input.files.map(({ name, content }) => [name, content]))

/** The arguments that every command line starts with. */
export const always = argv(planned()).slice(0, -1)
