/** The commands by name: who may give them, and what they do, for people; pure. */
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import type { CommandTag } from "./command.ts"

export interface CommandRow {
  readonly name: string
  readonly tag: CommandTag
  readonly role: Role
  /** What may stand behind it, for help. */
  readonly form: string
  readonly does: string
}

/** `Once` has the names of agents. */
export const commandTable: ReadonlyArray<CommandRow> = [
  { name: "stop", tag: "Stop", role: "user", form: "", does: "stops the agent; as a reply, drops that message" },
  { name: "new", tag: "New", role: "user", form: "", does: "stops, and begins a new session" },
  { name: "status", tag: "Status", role: "user", form: "", does: "what is going on here" },
  { name: "usage", tag: "Usage", role: "user", form: "", does: "tokens and costs" },
  { name: "sessions", tag: "Sessions", role: "user", form: "", does: "the sessions of this chat" },
  { name: "resume", tag: "Resume", role: "user", form: " ID", does: "goes on with one of them" },
  { name: "export", tag: "Export", role: "user", form: " [md|json]", does: "the last session as a file" },
  { name: "planmode", tag: "PlanMode", role: "user", form: " [off|auto|on]", does: "whether the agent plans first" },
  { name: "agent", tag: "Agent", role: "admin", form: " [NAME]", does: "the agent of this chat" },
  { name: "model", tag: "Model", role: "admin", form: " [NAME]", does: "its model" },
  {
    name: "mode",
    tag: "Mode",
    role: "admin",
    form: " [default|plan|accept-edits|bypass]",
    does: "what it may do without asking"
  },
  { name: "effort", tag: "Effort", role: "admin", form: " [LEVEL]", does: "how much it thinks" },
  { name: "dir", tag: "Directory", role: "admin", form: " [NAME]", does: "the directory in which it works" },
  { name: "files", tag: "Files", role: "admin", form: " PATH", does: "a file of that directory" },
  { name: "pause", tag: "Pause", role: "owner", form: "", does: "takes nothing more until it is given again" },
  { name: "restart", tag: "Restart", role: "owner", form: "", does: "restarts the bridge when the agents are done" },
  { name: "whoami", tag: "WhoAmI", role: "user", form: "", does: "your id and your role" },
  { name: "help", tag: "Help", role: "user", form: "", does: "this list" }
]

/** Other names that people try. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["cancel", "stop"],
  ["abort", "stop"],
  ["reset", "new"],
  ["clear", "new"],
  ["directory", "dir"],
  ["cd", "dir"],
  ["start", "help"],
  ["commands", "help"]
])

const byName: ReadonlyMap<string, CommandRow> = new Map(commandTable.map((row) => [row.name, row]))

/** Without case. */
export const rowOf = (name: string): CommandRow | undefined => {
  const lower = name.toLowerCase()
  return byName.get(aliases.get(lower) ?? lower)
}

/** Those that a role may give, such as for a channel's menu. */
export const commandsFor = (role: Role): ReadonlyArray<CommandRow> =>
  commandTable.filter((row) => isAtLeast(role, row.role))

/** The list for people: what their role may do. */
export const helpText = (role: Role, agents: ReadonlyArray<string> = []): string => {
  const lines = commandsFor(role).map(({ name, form, does }) => `/${name}${form}: ${does}`)
  const [agent] = agents
  const once = agent === undefined || !isAtLeast(role, "admin") ? [] : [`/${agent} TEXT: one message to that agent`]
  return ["Write to the agent, or:", ...lines, ...once, "! does the same as /, and stop alone stops."].join("\n")
}
