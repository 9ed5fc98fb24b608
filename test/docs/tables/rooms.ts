// The rooms of src in their order, as the linter keeps it, each with what is in it.
import { rooms } from "../../house/rooms.ts"
import { code, table } from "../kit/markdown.ts"

const about: Readonly<Record<(typeof rooms)[number], string>> = {
  types: "the public types, by hand: events, results, reasons, params, options, rules; nothing of Effect",
  contract: "the Schemas of these types, and the checks of what callers give",
  text: "text of strangers, made harmless and short",
  messages: "the words of the bridge: messages of people, payloads, pieces, channels, side effects",
  actions: "events as actions that begin and end: what a person sees of a run",
  format: "Markdown → text with entities, and cut into pieces that a channel takes",
  attachments: "what an attachment is, by its bytes",
  errors: "what an error says of itself → its category",
  clock: "time in which the host ran",
  cli: "the shape of a CLI, and the folders that fill it",
  answers: "answers by a schema: how they are asked for, found and checked",
  process: "launch, lines, stderr, teardown, the reaper: the only room that knows processes",
  stored: "sessions that the CLIs keep by themselves: found and read, never written",
  locks: "a lock of the kernel, and the state directory",
  guard: "who uses a session or a conversation now: one process at a time, and what a dead one left",
  worktrees: "a directory of its own for an agent, made by git and removed",
  settings: "a JSON file, changed for a run and restored",
  approvals: "rules at work",
  hostTools: "functions of the host, offered to an agent",
  engine: "a process with its guards: the stream, what ends it, gates and observers",
  run: "one prompt",
  session: "many turns",
  telemetry: "spans and metrics of runs, sessions, turns and tool calls, made from events by an observer",
  store: "the tables of conversations, sessions and turns: on SQLite or PostgreSQL",
  prices: "what usage costs, where no CLI reports it: by the user's prices, and by a table",
  ledger: "what runs have used and cost, in a store, and the budgets that they must keep",
  sessions: "conversations that last: their sessions, histories and exports, resume lines, the router",
  journal: "what the bridge must not lose, in the store: messages in, messages out, requests, schedules",
  delivery: "what is to be said becomes messages of a channel: in order, at its pace, once",
  config: "`reins.toml`, the user's configuration: where it is, what may be in it, and how it is changed",
  feed: "the last events of a run or session, for readers over HTTP",
  several: "one prompt for several agents: who is asked, where each works, what is handed over",
  facts: "what can be known without asking a model: doctor, models",
  ".": "the public modules, such as `AgentRuntime.ts`, and the doors",
  plain: "the agent and the session of the plain door",
  aiSdk: "the agents as models of the AI SDK",
  gateway: "tools of the bridge for the agent: messages, files, questions, schedules",
  bridge: "messages of people become turns of a conversation: access, order, progress, requests, commands",
  channels: "ways to people that come along: the page",
  cluster: "many machines: mutual TLS between the hosts of one cluster",
  acpServer: "a server of the Agent Client Protocol: sessions of an editor over conversations",
  program: "the `reins` program",
  testing: "the test kit"
}

export const roomsTable = () =>
  table(
    ["room", "what is in it"],
    rooms.map((room) => [code(room === "." ? "src/*.ts" : `src/${room}`), about[room]])
  )
