/** A message → a command, a hint to its sender, or neither; pure. A returned command has passed all checks. */
import { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import { suggestionFor } from "../../contract/suggestions.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import { type ChannelMessage, isPressed } from "../messages/ChannelMessage.ts"
import { texts } from "../texts.ts"
import { type Command, type CommandRow, changesActions, commandsFor, exportForms, planModes, rowOf } from "./command.ts"

export interface CommandContext {
  readonly role: Role
  /** Names of the account, such as the user name in `/stop@bot`. */
  readonly accounts: ReadonlyArray<string>
  readonly agents: ReadonlyArray<string>
  readonly directories: ReadonlyArray<string>
  /** Efforts of the chat's agent. Default: any word. */
  readonly efforts?: ReadonlyArray<string> | undefined
}

/** `Elsewhere`: a command for another account, ignored here. `Hint`: starts no turn. */
export type Parsed =
  | { readonly _tag: "NoCommand" }
  | { readonly _tag: "Elsewhere" }
  | { readonly _tag: "Hint"; readonly text: string }
  | { readonly _tag: "Given"; readonly command: Command }

const noCommand: Parsed = { _tag: "NoCommand" }
const hint = (text: string): Parsed => ({ _tag: "Hint", text })
const parsed = (command: Command): Parsed => ({ _tag: "Given", command })

const notOneOf = (name: string, word: string, known: ReadonlyArray<string>): Parsed =>
  hint(texts.notOneOf(name, word, known, suggestionFor(word, known)))
/** One of a list, ignoring case; the spelling of the list is used. */
const choice = (
  name: string,
  word: string,
  known: ReadonlyArray<string>,
  command: (value: string) => Command
): Parsed => {
  if (known.length === 0) return hint(texts.noneThere(name))
  const value = known.find((each) => each === word) ?? known.find((each) => each.toLowerCase() === word.toLowerCase())
  return value === undefined ? notOneOf(name, word, known) : parsed(command(value))
}

/** Whether a value may be passed to a CLI: it must not look like an option. */
const isValue = (word: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N}._/:@+[\]-]{0,199}$/u.test(word)

const literal = <L extends string>(known: ReadonlyArray<L>, word: string): L | undefined =>
  known.find((each) => each === word.toLowerCase())

type Reader = (word: string, context: CommandContext, replyTo: string | undefined) => Parsed

const mode: Reader = (word, { role }) => {
  if (word === "") return parsed({ _tag: "Mode" })
  const value = literal(PermissionMode.literals, word)
  if (value === undefined) return notOneOf("mode", word, PermissionMode.literals)
  if (value === "bypass" && role !== "owner") return hint(texts.bypassIsOwners)
  return parsed({ _tag: "Mode", mode: value })
}

const effort: Reader = (word, { efforts }) => {
  if (word === "") return parsed({ _tag: "Effort" })
  if (efforts !== undefined) return choice("effort", word, efforts, (value) => ({ _tag: "Effort", effort: value }))
  return /^[a-z][a-z0-9_-]{0,31}$/i.test(word)
    ? parsed({ _tag: "Effort", effort: word })
    : hint(texts.wrongForm("effort", word))
}

const planMode: Reader = (word) => {
  if (word === "") return parsed({ _tag: "PlanMode" })
  const value = literal(planModes, word)
  return value === undefined ? notOneOf("planmode", word, planModes) : parsed({ _tag: "PlanMode", planMode: value })
}

const exported: Reader = (word) => {
  const form = word === "" ? "md" : literal(exportForms, word)
  return form === undefined ? notOneOf("export", word, exportForms) : parsed({ _tag: "Export", form })
}

const longestMessage = 4_000

/** Everyone may look; what changes something is for admins. */
const changes: Reader = (text, { role }) => {
  const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(text) ?? []
  const action = word === "" ? "show" : literal(changesActions, word)
  if (action === undefined) return notOneOf("changes", word, changesActions)
  if (action === "show" || action === "patch") return parsed({ _tag: "Changes", do: action })
  if (!isAtLeast(role, "admin")) return hint(texts.needsRole(`changes ${action}`, "admin"))
  const isConfirmed = action === "discard" && /^[0-9a-f]{12}$/.test(rest)
  if (isConfirmed) return parsed({ _tag: "Changes", do: action, commit: rest })
  if (rest !== "" && action !== "commit") return hint(texts.takesNothing(`changes ${action}`))
  if (rest.length > longestMessage) return hint(texts.wrongForm("changes commit", rest))
  return parsed({ _tag: "Changes", do: action, ...(rest === "" ? {} : { message: rest }) })
}

const resume: Reader = (word) => {
  if (word === "") return hint(texts.missing("resume", " ID"))
  return isValue(word) ? parsed({ _tag: "Resume", session: word }) : hint(texts.wrongForm("resume", word))
}

const model: Reader = (word) => {
  if (word === "") return parsed({ _tag: "Model" })
  return isValue(word) ? parsed({ _tag: "Model", model: word }) : hint(texts.wrongForm("model", word))
}

const files: Reader = (path) => {
  if (path === "") return hint(texts.missing("files", " PATH"))
  return path.length <= 1_000 ? parsed({ _tag: "Files", path }) : hint(texts.wrongForm("files", path))
}

const alone =
  (name: string, command: Command): Reader =>
  (word) =>
    word === "" ? parsed(command) : hint(texts.takesNothing(name))

/** Commands that show or stop something ignore extra words; commands that discard something refuse them. */
const readers: { readonly [Tag in Exclude<Command["_tag"], "Once">]: Reader } = {
  Stop: (_word, _context, replyTo) => parsed({ _tag: "Stop", ...(replyTo === undefined ? {} : { replyTo }) }),
  New: alone("new", { _tag: "New" }),
  Agent: (word, { agents }) =>
    word === "" ? parsed({ _tag: "Agent" }) : choice("agent", word, agents, (agent) => ({ _tag: "Agent", agent })),
  Model: model,
  Mode: mode,
  Effort: effort,
  Directory: (word, { directories }) =>
    word === ""
      ? parsed({ _tag: "Directory" })
      : choice("dir", word, directories, (directory) => ({ _tag: "Directory", directory })),
  PlanMode: planMode,
  Status: () => parsed({ _tag: "Status" }),
  Usage: () => parsed({ _tag: "Usage" }),
  Sessions: () => parsed({ _tag: "Sessions" }),
  Resume: resume,
  Export: exported,
  Files: files,
  Changes: changes,
  Help: () => parsed({ _tag: "Help" }),
  WhoAmI: () => parsed({ _tag: "WhoAmI" }),
  Restart: alone("restart", { _tag: "Restart" }),
  Pause: alone("pause", { _tag: "Pause" })
}

const read = ({ name, tag, role }: CommandRow, rest: string, context: CommandContext, replyTo?: string): Parsed => {
  if (!isAtLeast(context.role, role)) return hint(texts.needsRole(name, role))
  if (tag === "Once") return noCommand
  return readers[tag](withoutInvisible(rest), context, replyTo)
}

const once = (agent: string, text: string, { role }: CommandContext): Parsed => {
  if (!isAtLeast(role, "admin")) return hint(texts.needsRole(agent, "admin"))
  return text === "" ? hint(texts.onceNeedsText(agent)) : parsed({ _tag: "Once", agent, text })
}

/** Words that stop the agent if they are the whole message; lower case, composed. "no", "wait" and "quit" may be answers. */
const words: ReadonlySet<string> = new Set([
  ...["stop", "stopp", "halt", "abort", "cancel", "stop it", "please stop", "stop please"], // English
  ...["anhalten", "abbrechen", "abbruch", "aufhören", "stopp bitte", "bitte stoppen"], // German
  ...["arrête", "arrete", "arrêter", "arrêtez", "annuler"], // French
  ...["para", "alto", "detente", "detén", "detener", "cancelar", "cancela"], // Spanish
  ...["pare", "parar", "pára"], // Portuguese
  ...["ferma", "fermati", "annulla", "basta"], // Italian
  ...["stoppen", "annuleren"], // Dutch
  ...["stoppa", "avbryt"], // Swedish, Norwegian
  ...["afbryd"], // Danish
  ...["pysähdy", "peruuta"], // Finnish
  ...["zatrzymaj", "przerwij", "anuluj"], // Polish
  ...["zastav", "zrušit"], // Czech
  ...["стоп", "стой", "остановись", "отмена", "отменить"], // Russian
  ...["зупинись", "зупини", "скасувати", "спри", "стані"], // Ukrainian, Bulgarian, Belarusian
  ...["dur", "durdur", "iptal"], // Turkish
  ...["σταμάτα", "στοπ", "ακύρωση"], // Greek
  ...["állj", "mégse"], // Hungarian
  ...["oprește", "opreste", "anulează"], // Romanian
  ...["עצור", "תפסיק", "בטל"], // Hebrew
  ...["توقف", "قف", "إلغاء", "ایست", "لغو"], // Arabic, Persian
  ...["रुको", "रुकें", "बंद करो"], // Hindi
  ...["停", "停止", "停下", "取消", "终止", "終止"], // Chinese
  ...["止めて", "やめて", "ストップ", "キャンセル", "中止"], // Japanese
  ...["멈춰", "정지", "중지", "그만", "취소"], // Korean
  ...["dừng", "dừng lại", "hủy"], // Vietnamese
  ...["berhenti", "batal", "batalkan"], // Indonesian, Malay
  ...["หยุด", "ยกเลิก"] // Thai
])

const longestStop = 40

const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const around = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu

/** Ignores case, surrounding punctuation and invisible characters. */
export const isStopWord = (text: string): boolean => {
  if (text.length > longestStop) return false
  const word = text.normalize("NFKC").replace(invisible, "").replace(around, "").replace(/\s+/g, " ")
  return words.has(word.toLowerCase().normalize("NFC"))
}

/** In groups, a stop word counts only if it is addressed to the account. */
export const parseCommand = (
  { text, replyTo, attachments, addressed }: Pick<ChannelMessage, "text" | "replyTo" | "attachments" | "addressed">,
  context: CommandContext
): Parsed => {
  const content = bare(text, context.accounts)
  const repliedTo = replyTo?.messageId
  const named = namedIn(content)
  if (named === undefined) {
    const isStop = addressed && attachments.length === 0 && isStopWord(content)
    return isStop ? readers.Stop("", context, repliedTo) : noCommand
  }
  const { prefix, name, account, rest } = named
  if (account !== undefined && !context.accounts.some((own) => own.toLowerCase() === account.toLowerCase())) {
    return { _tag: "Elsewhere" }
  }
  const row = rowOf(name)
  if (row !== undefined) return read(row, rest, context, repliedTo)
  const agent = context.agents.find((each) => each.toLowerCase() === name.toLowerCase())
  if (agent !== undefined) return once(agent, rest, context)
  const nearest = suggestionFor(name, [...commandsFor(context.role).map((each) => each.name), ...context.agents])
  // "!important" is ordinary text; "!stpo" is a typo.
  if (prefix === "!" && nearest === undefined) return noCommand
  return hint(texts.unknownCommand(name, nearest))
}

/**
 * The `Once` command of a message that names its agent, such as `/codex look at this`; undefined for other messages. Checks
 * the role again, since a waiting message can be edited. A pressed button never names an agent: agents write its label.
 */
export const onceCommandIn = (
  message: ChannelMessage,
  role: Role,
  agents: ReadonlyArray<string>
): Extract<Command, { readonly _tag: "Once" }> | undefined => {
  if (isPressed(message)) return undefined
  const result = parseCommand(message, { role, accounts: [], agents, directories: [] })
  const command = result._tag === "Given" ? result.command : undefined
  return command?._tag === "Once" ? command : undefined
}

interface Named {
  readonly prefix: "/" | "!"
  readonly name: string
  /** The addressed account, as in `/stop@bot`. */
  readonly account: string | undefined
  readonly rest: string
}

/** Longest name and account together. */
const longest = 100

/** Leading spaces and invisible characters. */
const leading = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/u
/** A path, such as `/etc/hosts`, is not a command. */
const form = /^([/!])([\p{L}\p{N}_-]+)(?:@([^\s@]+))?$/u

/** Drops a mention of the account at the beginning: `@bot stop`. */
const withoutMention = (text: string, accounts: ReadonlyArray<string>): string => {
  if (!text.startsWith("@")) return text
  const head = /^@[^\s,:]+/.exec(text.slice(0, longest))?.[0] ?? ""
  const isOurs = accounts.some((account) => account.toLowerCase() === head.slice(1).toLowerCase())
  return isOurs ? text.slice(head.length).replace(/^[\s,:]+/, "") : text
}

/** The text to the account, without its address. */
const bare = (text: string, accounts: ReadonlyArray<string>): string =>
  withoutMention(text.replace(leading, ""), accounts)

/** The command in a text from `bare`; undefined if it is not a command. */
export const namedIn = (text: string): Named | undefined => {
  const head = text.slice(0, longest + 1).normalize("NFKC")
  if (!head.startsWith("/") && !head.startsWith("!")) return undefined
  const end = text.search(/\s/)
  const token = end === -1 ? text : text.slice(0, end)
  if (token.length > longest) return undefined
  const parts = form.exec(withoutInvisible(token.normalize("NFKC")))
  if (parts === null) return undefined
  const [, prefix, name = "", account] = parts
  return { prefix: prefix === "!" ? "!" : "/", name, account, rest: end === -1 ? "" : text.slice(end).trim() }
}
