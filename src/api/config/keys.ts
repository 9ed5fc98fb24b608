/**
 * The keys of `reins.toml`: the one list for checks of a file, values of a command line, and the docs. `ID` is the id of an
 * agent, `NAME` a name of the user's choice, `CHAT` the id of a chat.
 */

import { acpAgentIds, supportIdOf, supports } from "../../contract/CliSupport.ts"
import {
  type ChannelKind,
  channelIds,
  channels,
  type SecretKind,
  webhookSecret,
  webhookSignatures
} from "./channels.ts"

/** Kinds without parameters: one member of the union, since the compiler follows no more than 25. */
interface PlainForm {
  readonly kind:
    | "text"
    | "name"
    | "path"
    | "command"
    | "variable"
    | "texts"
    | "files"
    | "duration"
    | "count"
    | "switch"
    | "zone"
    | "rate"
    | "budgets"
    | "port"
    | "host"
    | "requests"
    | "amount"
    | "positive"
    | "server"
    | "word"
    | "chat"
    | "phone"
    | "template"
    | "label"
    | "bytes"
    | "header"
}

/**
 * The values of a key. `command`: a name on PATH, or a path; `switch`: true or false; `rate`: dollars per million tokens;
 * `requests`: requests of agents; `amount`: dollars; `count`: from 0, `positive`: from 1; `secret`: a text that is shown
 * nowhere; `people`: ids of people; `chat`: the id of a chat; `phone`: an id of digits; `server`: the address of one;
 * `template`: a text with `{{paths}}`; `label`: a name for a path of a URL; `status`: of HTTP, for a refusal, or also 202 if it
 * `canStore`. `budgets` is a list of tables.
 */
export type Form =
  | PlainForm
  | { readonly kind: "choice"; readonly of: ReadonlyArray<string> }
  | { readonly kind: "status"; readonly canStore: boolean }
  | { readonly kind: "secret"; readonly key: string; readonly of: SecretKind }
  | { readonly kind: "people"; readonly of: ChannelKind }

export interface Key {
  readonly path: ReadonlyArray<string>
  readonly form: Form
  readonly about: string
}

export const agentIds = ["claude", "gemini", "codex", "opencode", "pi", ...acpAgentIds] as const
const agentForm: Form = { kind: "choice", of: agentIds }
const modeForm: Form = { kind: "choice", of: ["default", "plan", "accept-edits", "bypass"] }
const billingForm: Form = { kind: "choice", of: ["subscription", "api-key"] }
const busyForm: Form = { kind: "choice", of: ["steer", "queue", "collect", "interrupt"] }
const progressForm: Form = { kind: "choice", of: ["edit", "draft", "brief", "off"] }
const planModeForm: Form = { kind: "choice", of: ["off", "auto", "on"] }
const profileForm: Form = { kind: "choice", of: ["none", "reply", "messaging", "full"] }

type PlainKind = PlainForm["kind"]

const key = (name: string, form: Form | PlainKind, about: string): Key => ({
  path: name.split("."),
  form: typeof form === "string" ? { kind: form } : form,
  about
})

const keysOfChannel = (of: ChannelKind): ReadonlyArray<Key> => {
  const { id, name, secrets, group, keys: more = [], server } = of
  const docs = `[${name}](${id}.md)`
  return [
    ...secrets.flatMap((secret) => {
      const place = `${id}.${secret.key}`
      return [
        key(
          place,
          { kind: "secret", key: place, of: secret },
          `${secret.about}, if only you can read \`reins.toml\`: ${docs}`
        ),
        key(`${place}.env`, "variable", "Variable with it, instead; no agent gets it"),
        key(`${place}.file`, "path", "File with it, instead, that only the user can read")
      ]
    }),
    key(`${id}.owners`, { kind: "people", of }, "Ids of those who may do everything there; `/whoami` shows them"),
    key(`${id}.admins`, { kind: "people", of }, "Ids of those who may choose agent, model, mode and directory"),
    key(`${id}.approvers`, { kind: "people", of }, "Ids of those who may answer what agents ask"),
    key(`${id}.users`, { kind: "people", of }, "Ids of those who may talk to agents"),
    ...(group === undefined
      ? []
      : [
          key(
            `${id}.groups.CHAT.users`,
            { kind: "people", of },
            "Who may talk to agents in this group (default: those who may everywhere)"
          ),
          key(
            `${id}.groups.CHAT.approvers`,
            { kind: "people", of },
            "Who may answer agents there (default: those who may everywhere)"
          ),
          key(
            `${id}.groups.CHAT.mention`,
            "switch",
            "Whether only mentions of the bot, replies to it and commands count (default: true)"
          )
        ]),
    ...more.map(({ name, form, about }) => key(`${id}.${name}`, form, about)),
    key(`${id}.apiRoot`, "server", server)
  ]
}

export const keys: ReadonlyArray<Key> = [
  key("agent", agentForm, "The agent that is asked unless another is named (default: `claude`)"),
  key(
    "directory",
    "name",
    "Name of the directory where agents work unless another is named (default: the current one)"
  ),
  key("agents.ID.model", "text", "Model, as the CLI names it"),
  key("agents.ID.permissionMode", modeForm, "What the agent may do without asking"),
  key("agents.ID.allowedTools", "texts", "Tools that need no permission"),
  key("agents.ID.billing", billingForm, "Require this way of paying, or fail"),
  key("agents.ID.command", "command", "The CLI's program: a name on PATH, or an absolute path"),
  key("directories.NAME.path", "path", "Where it is: absolute, or from `~/`"),
  key("directories.NAME.agent", agentForm, "The agent that works there"),
  key("directories.NAME.model", "text", "Model of the agent that works there; no other agent gets it"),
  key("directories.NAME.permissionMode", modeForm, "What any agent may do there without asking"),
  key("directories.NAME.billing", billingForm, "The way of paying that any agent needs there"),
  key(
    "directories.NAME.worktree",
    { kind: "choice", of: ["each"] },
    "`each`: every conversation there works in a git worktree of its own: [Worktrees](worktrees.md)"
  ),
  key("directories.NAME.setup", "text", "Command line that prepares a new worktree, such as `npm ci`"),
  key("directories.NAME.setupTimeout", "duration", "Time after which the setup is ended (default: 10 minutes)"),
  key("directories.NAME.copy", "files", "Files that git ignores and that a new worktree gets, such as `.env`"),
  key("worktrees.max", "positive", "Maximum number of worktrees (default: 20)"),
  key("worktrees.maxMegabytes", "count", "Maximum size of the files of a new worktree, in MB (default: 5000)"),
  key("store.directory", "path", "Folder of the embedded database (default: in the state directory)"),
  key("store.database.env", "variable", "Variable with the URL of a PostgreSQL database, instead of the embedded one"),
  key("store.database.file", "path", "The same, in a file that only the user can read"),
  key(
    "store.keep.sessions",
    "duration",
    "How long a conversation remembers its session after its last use (default: 7 days)"
  ),
  key("store.keep.transcripts", "count", "Of how many sessions the transcripts are kept (default: 20)"),
  key("store.keep.turns", "duration", "How long the texts of ended turns are kept (default: 7 days)"),
  key("usage", "switch", "Whether runs and chats are written to the ledger, for `reins usage` (default: true)"),
  key("zone", "zone", "Time zone in which days and months begin (default: that of the machine)"),
  key("budgets", "budgets", "What runs may spend, each limit below `[[budgets]]`: [Budgets](usage.md#budgets)"),
  key("prices.NAME", "text", "Another model that costs the same as the model of this name"),
  key("prices.NAME.input", "rate", "Its price in US dollars per million input tokens"),
  key("prices.NAME.output", "rate", "The same of output tokens"),
  key("prices.NAME.cacheRead", "rate", "The same of input tokens from a cache (default: as `input`)"),
  key("prices.NAME.cacheWrite", "rate", "The same of input tokens that are written to a cache (default: as `input`)"),
  key("priceFile", "path", "A file of JSON with prices as below `[prices]`, which go before it"),
  key(
    "telemetry.content",
    "switch",
    "Whether exported spans have prompts, answers, and inputs and outputs of tools (default: false)"
  ),
  key("telemetry.cli", "switch", "Whether CLIs export spans of their own to the same endpoint (default: false)"),
  key("whileBusy", busyForm, "What a message does in `reins serve` while the agent works (default: `steer`)"),
  key("progress", progressForm, "How `reins serve` shows an agent at work, where a channel can (default: `edit`)"),
  key("approvals.deny", "requests", "What agents of `reins serve` may never do: [Requests](serve.md#requests)"),
  key("approvals.ask", "requests", "What people are asked about, though a kind of it is allowed"),
  key(
    "approvals.allow",
    "requests",
    "Requests that need no approval (default: `read` and `search`); people are asked about all others"
  ),
  key("gateway.profile", profileForm, "Tools that agents of `reins serve` have for their chat (default: `reply`)"),
  key("gateway.aliases", "switch", "Whether they also list them under the names of other bridges (default: false)"),
  key(
    "gateway.targets.NAME.chat",
    "chat",
    "Id of a chat that agents may write to: [Tools](bridge.md#what-agents-send-themselves)"
  ),
  key(
    "gateway.targets.NAME.channel",
    { kind: "choice", of: channelIds },
    "Its channel, if more than one is configured"
  ),
  key("gateway.targets.NAME.thread", "text", "Id of the topic in it (default: none)"),
  key("gateway.targets.NAME.description", "text", "What agents are told about it"),
  key("gateway.scheduleUsd", "amount", "What each run of a schedule may cost, in US dollars (default: 1)"),
  key(
    "limits.total",
    "positive",
    "How many conversations of `reins serve`, and as many of its cluster, may have an agent open at once; others wait (default: 10)"
  ),
  key("web.port", "port", "Port of the web page (default: the first free one from 7346 to 7355)"),
  key("web.host", "host", "Address at which it listens (default: `127.0.0.1`)"),
  key("web.hosts", "texts", "Names by which other machines reach it, such as `agents.example`"),
  key("web.title", "text", "Its title (default: the name of the directory)"),
  key(
    "web.allowRemote",
    "switch",
    "Whether it may listen for other machines; needs `tls` and `hosts` (default: false)"
  ),
  key("web.tls.cert", "path", "File with its certificate, and those that lead to it, as PEM"),
  key("web.tls.key", "path", "File with the key of the certificate, as PEM, that only the user can read"),
  ...channels.flatMap(keysOfChannel),
  key(
    "webhooks.NAME.secret",
    { kind: "secret", key: "webhooks.NAME.secret", of: webhookSecret },
    "What proves its sender, if only you can read `reins.toml`: [Webhooks](webhooks.md)"
  ),
  key("webhooks.NAME.secret.env", "variable", "Variable with it, instead; no agent gets it"),
  key("webhooks.NAME.secret.file", "path", "File with it, instead, that only the user can read"),
  key("webhooks.NAME.signature", { kind: "choice", of: webhookSignatures }, "How the sender proves itself with it"),
  key("webhooks.NAME.prompt", "template", "The prompt, with fields of the JSON that arrives: `{{pull_request.title}}`"),
  key(
    "webhooks.NAME.conversation",
    "label",
    "Name of its conversation, which others may share (default: its own name)"
  ),
  key("webhooks.NAME.agent", agentForm, "The agent that answers (default: as in chats)"),
  key("webhooks.NAME.directory", "name", "Name of the directory where it works (default: as in chats)"),
  key(
    "webhooks.NAME.permissionMode",
    modeForm,
    "What the agent may do; all beyond it is denied, without asking (default: `plan`)"
  ),
  key("webhooks.NAME.maxBytes", "bytes", "Longest body (default: 1000000)"),
  key("webhooks.NAME.rate", "positive", "Deliveries in a minute (default: 10)"),
  key("webhooks.NAME.rateStatus", { kind: "status", canStore: false }, "HTTP status for further ones (default: 429)"),
  key(
    "webhooks.NAME.pausedStatus",
    { kind: "status", canStore: true },
    "HTTP status while an owner has paused the host; with 202, deliveries wait for its end (default: 503)"
  ),
  key("webhooks.NAME.idHeader", "header", "Header with the id of a delivery (default: that of the sender)"),
  key(
    "webhooks.NAME.once",
    { kind: "choice", of: ["id", "body"] },
    "How a repeated delivery is known: by its id, or by its body (default: `id`)"
  ),
  key("webhooks.NAME.tell", "text", 'The chat that gets the answer, such as `"telegram:123456789"` (default: the log)'),
  key(
    "webhooks.NAME.answer",
    { kind: "choice", of: ["http"] },
    "`http`: the response has the answer (default: it comes at once)"
  ),
  key("webhooks.NAME.deadline", "duration", "How long a response waits for the answer (default: 2 minutes)"),
  key("webhookServer.port", "port", "Port of the webhooks (default: 7357)"),
  key("webhookServer.host", "host", "Address at which they listen (default: `127.0.0.1`)"),
  key(
    "webhookServer.allowRemote",
    "switch",
    "Whether they may listen for other machines; needs `tls` (default: false)"
  ),
  key("webhookServer.tls.cert", "path", "File with their certificate, and those that lead to it, as PEM"),
  key("webhookServer.tls.key", "path", "File with the key of the certificate, as PEM, that only the user can read"),
  key(
    "transcribe.command",
    "texts",
    "Program that writes the text of a voice message to its stdout, and its arguments: [Voice messages](bridge.md#voice-messages)"
  ),
  key("transcribe.timeout", "duration", "After how long it is ended (default: 2 minutes)"),
  key("chats.CHAT.agent", agentForm, "The agent of this chat, unless it has chosen another"),
  key("chats.CHAT.model", "text", "Its model; no other agent gets it"),
  key("chats.CHAT.permissionMode", modeForm, "What the agent may do there without asking"),
  key("chats.CHAT.effort", "word", "How much it thinks"),
  key("chats.CHAT.directory", "name", "Name of the directory where agents of this chat work"),
  key("chats.CHAT.planMode", planModeForm, "Whether agents of this chat plan first (default: `off`)"),
  key("chats.CHAT.progress", progressForm, "How this chat shows an agent at work (default: `progress`)")
]

/** Parts that the user chooses. */
export const isOpenPart = (part: string): boolean => part === "NAME" || part === "CHAT"

const fits = (part: string, input: string) =>
  part === input || isOpenPart(part) || (part === "ID" && agentIds.some((id) => id === input))

export const keyAt = (at: ReadonlyArray<string>): Key | undefined =>
  keys.find(({ path }) => path.length === at.length && path.every((part, index) => fits(part, at[index] ?? "")))

/** The names that a table can have: the ids of agents in place of `ID`. `isOpen`: any name. */
export const namesIn = (
  table: ReadonlyArray<string>
): { readonly names: ReadonlyArray<string>; readonly isOpen: boolean } => {
  const parts = keys.flatMap(({ path }) =>
    path.length > table.length && table.every((input, index) => fits(path[index] ?? "", input))
      ? [path[table.length] ?? ""]
      : []
  )
  const names = parts.flatMap((part) => (part === "ID" ? agentIds : isOpenPart(part) ? [] : [part]))
  return { names: [...new Set(names)], isOpen: parts.some(isOpenPart) }
}

/** Whether the agent has an option of a file; all take `billing` and `command`. */
export const isSupported = (agent: string, option: string): boolean => {
  const takers: Readonly<Record<string, ReadonlyArray<string>>> = supports
  return !Object.hasOwn(takers, option) || takers[option]?.includes(supportIdOf(agent)) === true
}
