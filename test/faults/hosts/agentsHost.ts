/**
 * A host of the plain door with several agents. Its only argument has how they are asked: `{ method, repository, agents }`,
 * an agent as the options of `createAgent`. Says each text event, and the answer, as a line of JSON.
 */
import { type CreateAgentOptions, createAgent, createAgents } from "reins/promise"

interface Order {
  readonly method: "race" | "each"
  readonly repository: string
  readonly agents: Readonly<Record<string, CreateAgentOptions>>
}

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const order: Order = JSON.parse(process.argv[2] ?? "")

const agents = createAgents(
  Object.fromEntries(Object.entries(order.agents).map(([name, options]) => [name, createAgent("claude", options)]))
)
const params = { prompt: "hello", workingDirectory: order.repository }
const answer = await agents[order.method](params, {
  worktrees: true,
  onEvent: (event, agent) => event.type === "text" && say({ agent, text: event.text })
})
say({ answer })
await agents.close()
