/** Commands to the bridge itself, and their table: names, roles and help. Without a value, a command shows its setting; pure. */
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"

export const planModes = ["off", "auto", "on"] as const
type PlanMode = (typeof planModes)[number]

export const exportForms = ["md", "json"] as const

export const changesActions = ["show", "patch", "apply", "commit", "discard"] as const
export type ChangesAction = (typeof changesActions)[number]

export type Command =
  /** `replyTo`: the message that it replies to, such as a waiting one. */
  | { readonly _tag: "Stop"; readonly replyTo?: string }
  /** Stops, drops waiting messages, and starts a new session. */
  | { readonly _tag: "New" }
  | { readonly _tag: "Agent"; readonly agent?: string }
  | { readonly _tag: "Model"; readonly model?: string }
  | { readonly _tag: "Mode"; readonly mode?: PermissionMode }
  | { readonly _tag: "Effort"; readonly effort?: string }
  | { readonly _tag: "Directory"; readonly directory?: string }
  | { readonly _tag: "PlanMode"; readonly planMode?: PlanMode }
  /** One message to another agent than the chat's. */
  | { readonly _tag: "Once"; readonly agent: string; readonly text: string }
  | { readonly _tag: "Status" }
  | { readonly _tag: "Usage" }
  | { readonly _tag: "Sessions" }
  | { readonly _tag: "Resume"; readonly session: string }
  | { readonly _tag: "Export"; readonly form: (typeof exportForms)[number] }
  /** The path is untrusted: only files below the directory may be opened. */
  | { readonly _tag: "Files"; readonly path: string }
  /** `message`: of a commit. `commit`: confirms that the changes of this commit are discarded. */
  | { readonly _tag: "Changes"; readonly do: ChangesAction; readonly message?: string; readonly commit?: string }
  | { readonly _tag: "Help" }
  | { readonly _tag: "WhoAmI" }
  | { readonly _tag: "Restart" }
  | { readonly _tag: "Pause" }

type CommandTag = Command["_tag"]

export interface CommandRow {
  readonly name: string
  readonly tag: CommandTag
  readonly role: Role
  /** The arguments, for help. */
  readonly form: string
  readonly does: string
}

/** `Once` is missing: its names are those of the agents. */
export const commandTable: ReadonlyArray<CommandRow> = [
  { name: "stop", tag: "Stop", role: "user", form: "", does: "stops the agent; as a reply, drops that message" },
  { name: "new", tag: "New", role: "user", form: "", does: "stops the agent, and starts a new session" },
  { name: "status", tag: "Status", role: "user", form: "", does: "the state of this chat" },
  { name: "usage", tag: "Usage", role: "user", form: "", does: "tokens and costs" },
  { name: "sessions", tag: "Sessions", role: "user", form: "", does: "the sessions of this chat" },
  { name: "resume", tag: "Resume", role: "user", form: " ID", does: "resumes one of them" },
  { name: "export", tag: "Export", role: "user", form: " [md|json]", does: "the last session as a file" },
  {
    name: "changes",
    tag: "Changes",
    role: "user",
    form: " [patch|apply|commit|discard]",
    does: "what the agent changed in the worktree of this chat"
  },
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
  { name: "pause", tag: "Pause", role: "owner", form: "", does: "starts nothing new until it is sent again" },
  { name: "restart", tag: "Restart", role: "owner", form: "", does: "restarts the bridge when the agents are done" },
  { name: "whoami", tag: "WhoAmI", role: "user", form: "", does: "your id and your role" },
  { name: "help", tag: "Help", role: "user", form: "", does: "this list" }
]

/** Further names that people try. */
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

export const rowOf = (name: string): CommandRow | undefined => {
  const lower = name.toLowerCase()
  return byName.get(aliases.get(lower) ?? lower)
}

/** Commands that a role may give, for example for a channel's menu. */
export const commandsFor = (role: Role): ReadonlyArray<CommandRow> =>
  commandTable.filter((row) => isAtLeast(role, row.role))

export const helpText = (role: Role, agents: ReadonlyArray<string> = []): string => {
  const lines = commandsFor(role).map(({ name, form, does }) => `/${name}${form}: ${does}`)
  const [agent] = agents
  const once = agent === undefined || !isAtLeast(role, "admin") ? [] : [`/${agent} TEXT: one message to that agent`]
  return ["Write to the agent, or:", ...lines, ...once, "! does the same as /, and stop alone stops."].join("\n")
}
