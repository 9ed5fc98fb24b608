/**
 * A cluster of two homes over one PostgreSQL server. A conversation has a home, where its turns run, for any caller.
 *
 *     export REINS_DATABASE=postgres://reins:PASSWORD@127.0.0.1/agents
 *     XDG_STATE_HOME=/tmp/one node examples/cluster-of-two/main.ts home one
 *     XDG_STATE_HOME=/tmp/two node examples/cluster-of-two/main.ts home two
 *     node examples/cluster-of-two/main.ts ask billing "why does the build fail?"
 *
 * Both homes are on this machine, each with a state directory of its own, and talk over loopback. Homes on two machines
 * need certificates and an address, the options `tls` and `listen`: docs/cluster.md.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Layer, Redacted } from "effect"
import { Claude, Store } from "reins"
import { ClusterHome, clusterAgent } from "reins/cluster"

const database = Redacted.make(process.env["REINS_DATABASE"] ?? "")

/** Until a signal: then nothing new begins here, and turns at work have two minutes to end. */
const serve = (home: string) =>
  ClusterHome.layer({ home, database, agents: { claude: Claude.layer() } }).pipe(
    Layer.provide([Store.layerPostgres({ url: database }), NodeServices.layer]),
    Layer.launch,
    NodeRuntime.runMain
  )

const ask = async (conversation: string, prompt: string) => {
  await using agent = clusterAgent({ database, cli: "claude" })
  for await (const event of agent.execute({ conversation, prompt })) {
    if (event.type === "text") process.stdout.write(event.text)
    if (event.type === "notice") console.error(event.message) // such as: its home is down, and the turn waits
    if (event.type === "error") console.error(event.message, event.help ?? "")
    if (event.type === "done" && event.result.outcome !== "completed") process.exitCode = 1
  }
  process.stdout.write("\n")
}

const [command, name = "", prompt = ""] = process.argv.slice(2)
if (command === "home") serve(name)
else if (command === "ask") await ask(name, prompt)
else {
  console.error("main.ts home NAME, or: main.ts ask CONVERSATION PROMPT")
  process.exitCode = 2
}
