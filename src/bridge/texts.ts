/** Messages of the bridge itself to people. Untrusted text in them is shortened and made harmless. */
import { formatDuration, plural } from "../contract/text/amounts.ts"
import { oneLine } from "../contract/text/harmless.ts"
import { literal } from "../conversations/export/markdownText.ts"
import type { Role } from "./access/AccessOptions.ts"

const longest = 60

/** A text of others, on one line and harmless. */
export const safe = (text: string, most = longest): string => {
  const line = oneLine(text)
  return line.length <= most ? line : `${line.slice(0, most)}…`
}

/** `20 Nov 2026, 09:12 (Europe/Berlin)`. */
export const momentIn = (zone: string) => (at: number) =>
  `${new Date(at).toLocaleString("en-GB", { timeZone: zone, dateStyle: "medium", timeStyle: "short" })} (${zone})`

const listed = (names: ReadonlyArray<string>): string => {
  const some = names.slice(0, 20).join(", ")
  return names.length > 20 ? `${some} and ${names.length - 20} more` : some
}

/** A suggestion after a sentence about an unknown name. */
const near = (name: string | undefined, prefix = ""): string =>
  name === undefined ? "" : ` Did you mean ${prefix}${name}?`

export const texts = {
  /** Access. */
  paired: "You are the owner now. Write to the agent, or /help.",
  tooFast: (most: number) =>
    `More than ${most} messages in a minute: this one and further ones are ignored. Wait a moment.`,
  /** Shown in the group. */
  groupMoved: (from: string, to: string) =>
    `This group has a new id: ${safe(to)} instead of ${safe(from)}. It still works; update your access lists.`,
  whoAmI: (id: string, chatId: string, role: Role | undefined) =>
    `Your id is ${safe(id)}, this chat is ${safe(chatId)}, ${role === undefined ? "and you are not listed" : `your role is ${role}`}.`,
  needsRole: (command: string, role: Role) =>
    `/${safe(command)} is only for ${role === "owner" ? "the owner" : role === "admin" ? "admins" : `${role}s`}.`,

  /** Commands. */
  unknownCommand: (name: string, nearest: string | undefined) =>
    `Unknown command: /${safe(name)}.${near(nearest, "/")}${nearest === undefined ? " /help lists them." : ""}`,
  takesNothing: (name: string) => `/${name} takes no arguments. Send the rest as a separate message.`,
  missing: (name: string, form: string) => `An argument is missing: /${name}${form}`,
  notOneOf: (name: string, value: string, known: ReadonlyArray<string>, nearest: string | undefined) =>
    `/${name}: ${safe(value)} is not one of ${listed(known)}.${near(nearest)}`,
  notHere: "That is not possible here.",
  noneThere: (name: string) => `/${name}: there is nothing to choose from.`,
  wrongForm: (name: string, value: string) => `/${name}: ${safe(value)} is not a valid value.`,
  bypassIsOwners: "/mode bypass lets the agent do everything without asking: only the owner may choose it.",
  noPlans: (cli: string) =>
    `${safe(cli)} does not ask for approval of a plan. /mode plan makes it read-only; /agent chooses another agent.`,
  noLivePlans:
    "a plan is approved in a live session, and this host has none (live: false). /mode plan makes the agent read-only.",
  onceNeedsText: (agent: string) => `Write your message after /${agent}, or choose it for this chat: /agent ${agent}`,

  nothingUsed: "No usage is recorded for this chat.",
  noSessions: "This chat has no session yet.",
  resumeHint: "/resume with the beginning of an id resumes one of them.",
  stopping: "Stopping…",
  stopped: "Stopped.",
  nothingRuns: "Nothing is running.",
  notDone: "This failed. The log of the host has the details.",
  stopFirst: "The agent is working: /stop it first.",
  noSuchSession: (id: string) => `No session of this chat begins with ${safe(id)}. /sessions lists them.`,
  severalSessions: (id: string, count: number) => `${count} sessions begin with ${safe(id)}: write more of the id.`,
  sessionOfOther: (cli: string) => `That session belongs to ${safe(cli)}: choose that agent first, with /agent.`,
  resumedHere: (id: string) => `Resuming the session ${safe(id)}.`,
  resumed: (id: string) => `The next message resumes ${safe(id)}.`,
  noFilesHere: "Files cannot be sent here.",
  exportTooLarge: "The session is too long for a file that can be sent here.",
  nothingToExport: "There is nothing to export.",
  paused: "Paused: running turns continue, and nothing new starts until an owner sends /pause again.",
  goesOn: "No longer paused.",
  newSession: (dropped: number) =>
    dropped === 0 ? "A new session begins." : `A new session begins. ${plural(dropped, "waiting message")} dropped.`,
  waitsForPause: "An owner has paused me: your message is stored, and waits.",
  waitsForStart: "I am shutting down: your message is stored, and will be answered when I run again.",
  restarting: "I restart when the agents are done, within 2 minutes.",

  wasHeld: (heldMs: number) =>
    `The channel accepted no messages here for ${formatDuration(heldMs)}: the delayed ones follow now.`,

  /** A waiting message. */
  queued: (place: number) => `Queued · ${place}`,
  drop: "Drop",
  now: "Now",
  dropped: "Dropped before it started.",
  stopWhich: "That turn is over, and another message is being answered: to stop it, send /stop, not as a reply.",
  beginsNow: "The agent is stopped, and continues with the waiting messages.",
  waitsNoLonger: "It is no longer waiting.",
  beginsNext: "It is next in this chat, and starts as soon as an agent is free.",
  waitsForPlace: (most: number) => `${plural(most, "agent")} ${most === 1 ? "is" : "are"} open, which is the limit.`,
  begun: "▸ started",

  /** Messages. */
  full: (waiting: number) =>
    `${plural(waiting, "message")} ${waiting === 1 ? "waits" : "wait"} already: this one was not accepted. Send it again later, or /stop.`,
  tooLong: (length: number, most: number) =>
    `Your message was not accepted: it has ${length} characters, and the limit is ${most}. Send it as a file.`,
  nothingSaid: "The agent finished without an answer.",
  nothingInIt: "I accept text, images and files: this message has none of them.",
  editTooLate: "The agent already has this message, so the edit was ignored. Send the change as a new message.",

  /** Attachments. */
  noFiles: (name: string) => `${safe(name)} was not accepted: files are not supported here.`,
  tooLarge: (name: string, size: string, most: string) =>
    `${safe(name)} was not accepted: it has ${size}, and the limit is ${most}.`,
  noVoice:
    "A voice message was not accepted: nothing here transcribes it. Please write it. The owner of this host can turn it on: `transcribe` of the bridge, or `[transcribe]` in reins.toml.",
  /** Shown above the answer, so that its sender sees what was understood. */
  transcript: (text: string) => `Heard: "${literal(safe(text, 300))}"`,
  notTranscribed: (problem: string) =>
    `Your voice message could not be transcribed: ${problem}. Please write it, or send it again.`,
  moreNotTaken: (count: number) => `${plural(count, "further file")} ${count === 1 ? "was" : "were"} not accepted.`,
  notReceived: (name: string) => `${safe(name)} could not be downloaded, so the agent does not have it. Send it again.`,
  tooManyFiles: (dropped: number, most: number) =>
    `${plural(dropped, "file")} ${dropped === 1 ? "was" : "were"} not accepted: the limit for one message is ${most}.`
} as const
