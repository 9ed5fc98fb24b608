/** What the bridge itself says to people: plain and short. Words of strangers in it are bounded and harmless. */
import { formatDuration, plural } from "../contract/text/amounts.ts"
import { harmless } from "../contract/text/harmless.ts"
import type { Role } from "./access/AccessOptions.ts"

const longest = 60

const shown = (text: string): string => {
  const line = harmless(text).replace(/\s+/g, " ").trim()
  return line.length <= longest ? line : `${line.slice(0, longest)}…`
}

const listed = (names: ReadonlyArray<string>): string => {
  const some = names.slice(0, 20).join(", ")
  return names.length > 20 ? `${some} and ${names.length - 20} more` : some
}

/** At the end of a sentence about a name that is not there. */
const near = (name: string | undefined, prefix = ""): string =>
  name === undefined ? "" : ` Did you mean ${prefix}${name}?`

export const texts = {
  /** Access. */
  paired: "You are the owner now. Write to the agent, or /help.",
  tooFast: (most: number) =>
    `That is more than ${most} messages in a minute: this one and those after it are not taken. Wait a little.`,
  /** To the people of a group, and for the log. */
  groupMoved: (from: string, to: string) =>
    `This group has a new id: ${shown(to)} instead of ${shown(from)}. It goes on as before; change your lists.`,
  whoAmI: (id: string, chatId: string, role: Role | undefined) =>
    `Your id is ${shown(id)}, this chat is ${shown(chatId)}, ${role === undefined ? "and you are not listed" : `your role is ${role}`}.`,
  needsRole: (command: string, role: Role) =>
    `/${shown(command)} is for ${role === "owner" ? "the owner" : role === "admin" ? "admins" : `${role}s`} alone.`,

  /** Commands. */
  unknownCommand: (name: string, nearest: string | undefined) =>
    `There is no command /${shown(name)}.${near(nearest, "/")}${nearest === undefined ? " /help lists them." : ""}`,
  takesNothing: (name: string) => `/${name} takes nothing behind it. Send the rest as a message of its own.`,
  missing: (name: string, form: string) => `Something is missing: /${name}${form}`,
  notOneOf: (name: string, given: string, known: ReadonlyArray<string>, nearest: string | undefined) =>
    `/${name}: ${shown(given)} is none of ${listed(known)}.${near(nearest)}`,
  notHere: "That cannot be done here.",
  noneThere: (name: string) => `/${name}: there is nothing to choose from.`,
  wrongForm: (name: string, given: string) => `/${name}: ${shown(given)} cannot be used.`,
  bypassIsOwners: "/mode bypass lets the agent do everything unasked: only the owner may choose it.",
  onceNeedsText: (agent: string) => `Write your message behind /${agent}, or choose it for this chat: /agent ${agent}`,

  nothingUsed: "Nothing is noted of this chat.",
  noSessions: "This chat has no session yet.",
  resumeHint: "/resume and the beginning of an id goes on with one of them.",
  stopped: "Stopped.",
  nothingRuns: "Nothing is running.",
  notDone: "This could not be done. The log of the host says more.",
  stopFirst: "The agent is at work: /stop first.",
  noSuchSession: (id: string) => `No session of this chat begins with ${shown(id)}. /sessions lists them.`,
  severalSessions: (id: string, count: number) => `${count} sessions begin with ${shown(id)}: write more of the id.`,
  sessionOfOther: (cli: string) => `That session is one of ${shown(cli)}: choose that agent first, by /agent.`,
  resumedHere: (id: string) => `Going on with the session ${shown(id)}.`,
  resumed: (id: string) => `The next message goes on with ${shown(id)}.`,
  noFilesHere: "Files cannot be sent here.",
  exportTooLarge: "The session is too long for a file that can be sent here.",
  nothingToExport: "There is nothing to export.",
  paused: "Paused: what is under way goes on, and nothing new is begun until an owner writes /pause again.",
  goesOn: "It goes on.",
  waitsForPause: "An owner has paused me: your message is kept, and waits.",
  waitsForStart: "I am about to end: your message is kept, and is answered when I run again.",
  restarting: "I am started anew when the agents are done, in 2 minutes at most.",

  wasHeld: (heldMs: number) =>
    `The channel has taken nothing more here for ${formatDuration(heldMs)}: what was to be said comes now.`,

  /** Of a message that waits. */
  queued: (place: number) => `Queued · ${place}`,
  drop: "Drop",
  now: "Now",
  dropped: "Dropped: it had not begun.",
  stopWhich: "That is over already, and another message is being answered: /stop, not as a reply, stops it.",
  beginsNow: "The agent is stopped, and takes up what waits.",
  waitsNoLonger: "It waits no longer.",
  beginsNext: "Nothing of this chat is before it: it begins as soon as there is a place.",
  waitsForPlace: (most: number) => `${plural(most, "agent")} ${most === 1 ? "is" : "are"} open, the most at once.`,
  begun: "▸ begun",

  /** Messages. */
  full: (waiting: number) =>
    `${plural(waiting, "message")} ${waiting === 1 ? "waits" : "wait"} already: this one was not taken. Send it again later, or /stop.`,
  tooLong: (length: number, most: number) =>
    `Your message was not taken: it has ${length} characters, and at most ${most} can be. Send it as a file.`,
  nothingSaid: "The agent is done, and has said nothing.",
  nothingInIt: "I can take text, images and files: this has none of them.",
  editTooLate: "The agent has this message already: the change was not taken. Send what has changed as a new message.",

  /** Attachments. */
  noFiles: (name: string) => `${shown(name)} was not taken: files cannot be received here.`,
  tooLarge: (name: string, size: string, most: string) =>
    `${shown(name)} was not taken: it has ${size}, and at most ${most} can be received.`,
  noVoice: "A voice message was not taken: voice cannot be understood here. Write it, please.",
  moreNotTaken: (count: number) => `${plural(count, "further file")} ${count === 1 ? "was" : "were"} not taken.`,
  notReceived: (name: string) => `${shown(name)} could not be received: the agent does not have it. Send it again.`,
  tooManyFiles: (dropped: number, most: number) =>
    `${plural(dropped, "file")} ${dropped === 1 ? "was" : "were"} not taken: at most ${most} fit into one message.`
} as const
