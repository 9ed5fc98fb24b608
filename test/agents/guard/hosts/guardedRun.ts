/** A host of one run, by the plain door: its argument says which. Prints the events, a line each. */
import { type AgentExecuteParams, type CliId, type CreateAgentOptions, createAgent } from "reins/promise"

interface Ordered {
  readonly id: CliId
  readonly options: CreateAgentOptions
  readonly params: AgentExecuteParams
}

const { id, options, params }: Ordered = JSON.parse(process.argv[2] ?? "")
await using agent = createAgent(id, options)
for await (const event of agent.execute(params)) process.stdout.write(`${JSON.stringify(event)}\n`)
