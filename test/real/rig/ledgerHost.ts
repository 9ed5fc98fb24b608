/** A host of one run or live session on a store, by the plain door: its argument says which. Prints the events, a line each. */
import {
  type AgentEvent,
  type AgentExecuteParams,
  type CliId,
  type CreateAgentOptions,
  createAgent,
  openStore
} from "reins/promise"

interface Ordered {
  readonly id: CliId
  readonly options: CreateAgentOptions
  readonly params: AgentExecuteParams
  readonly directory: string
  /** A live session instead of a run: it is closed after so many turns, of which its CLI may begin some by itself. */
  readonly turns?: number
}

const print = (event: AgentEvent) => process.stdout.write(`${JSON.stringify(event)}\n`)

const { id, options, params, directory, turns }: Ordered = JSON.parse(process.argv[2] ?? "")
await using store = await openStore({ directory })
await using agent = createAgent(id, { ...options, store })
if (turns === undefined) {
  for await (const event of agent.execute(params)) print(event)
} else {
  const { prompt, ...opened } = params
  const session = await agent.open(opened)
  const closed = session.send(prompt)
  let ended = 0
  for await (const event of session.events) {
    print(event)
    if (event.type !== "turn_done") continue
    ended += 1
    if (ended === turns) void closed.then(session.close)
  }
}
