/** Which agent answers a message, and in which session. */
import type { CliId } from "./CliSupport.ts"
import type { OwnCli } from "./PlainAgent.ts"

/** A session as a line for people and messages: `claude --resume ID`. */
export interface ResumeTarget<Cli extends string = string> {
  /** One of the CLIs that Reins knows, or one of your own. */
  readonly cli: Cli
  /** The CLI's own id of the session. */
  readonly sessionId: string
}

/** The message that is answered or quoted. */
export interface RepliedMessage {
  /** Its whole text. */
  readonly text: string
  /** Whether it was sent by this application. A resume line in a message of others is not followed. */
  readonly isOurs: boolean
}

/** A message, and the choices and defaults of the place where it was written. */
export interface RouteQuestion<Own extends OwnCli = OwnCli> {
  /** The message. Its lines that begin with `>` quote others, and are not searched for a resume line. */
  readonly text: string
  /** The message that it replies to. */
  readonly reply?: RepliedMessage | undefined
  /** The CLI that a command in the message asks for, such as `codex` of `/codex`. */
  readonly directive?: string | undefined
  /** The CLIs that were chosen for this place. */
  readonly conversation?: { readonly topic?: string | undefined; readonly chat?: string | undefined } | undefined
  /** The CLIs that are used without a choice. */
  readonly defaults?: { readonly project?: string | undefined; readonly global?: string | undefined } | undefined
  /** CLIs of your own, which may be named beside those that Reins knows. */
  readonly clis?: ReadonlyArray<Own> | undefined
}

/**
 * The deciding fact, in this order: a resume line of the message, one of the message that it replies to, the directive,
 * the choice of the topic or the chat, the default of the project, the global one.
 */
export type RouteReason = "text" | "reply" | "directive" | "topic" | "chat" | "project" | "global"

/** The agent that answers. */
export interface Route<Id extends string = CliId> {
  /** The id of the CLI. */
  readonly cli: Id
  /** The session of a resume line, which is a text of the sender: check that they may continue it. */
  readonly sessionId?: string
  /** The deciding fact. */
  readonly because: RouteReason
}
