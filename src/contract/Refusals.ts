/** Failure reasons of runs that could not start as requested: nothing is left of them, or changed. */
import { Schema } from "effect"
import { facts, type ReasonParts, reason } from "./reason.ts"

/** The program of the CLI was not found. */
export interface NotInstalled extends ReasonParts<"NotInstalled", "not_installed", "not_installed", false> {
  /** The name or path that was tried. */
  readonly command: string
  /** The command that installs it. */
  readonly install: string
  /** Other commands of its makers that install it, such as a script or one for a package manager. */
  readonly otherInstalls?: ReadonlyArray<string>
  /** How to sign in, as a part of a sentence. */
  readonly signIn: string
}

/** Tells a person what to do about a missing program. */
export const installHelp = ({
  install,
  otherInstalls = [],
  signIn
}: Pick<NotInstalled, "install" | "otherInstalls" | "signIn">) =>
  `Install it: ${[install, ...otherInstalls].join(", or: ")}. Then sign in: ${signIn}`

export const NotInstalled = reason<NotInstalled>()("NotInstalled", {
  fields: {
    command: Schema.String,
    install: Schema.String,
    otherInstalls: Schema.optionalKey(Schema.Array(Schema.String)),
    signIn: Schema.String
  },
  ...facts("not_installed", "not_installed", false),
  message: ({ command, ...ways }) => `"${command}" was not found. ${installHelp(ways)}`
})

/** The operating system refused to start the process. */
export interface SpawnFailed extends ReasonParts<"SpawnFailed", "spawn_failed", "spawn"> {
  /** The name or path of the program. */
  readonly command: string
  /** Why, for people. */
  readonly problem: string
  /** The system's error code, such as `EACCES`, if there is one. */
  readonly errno?: string
  /** The directory in which files that the run needs could not be written; the program was not tried. */
  readonly directory?: string
}

/** Codes of system errors that go away without a change by the user. */
const temporary: ReadonlySet<string | undefined> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"])

export const SpawnFailed = reason<SpawnFailed>()("SpawnFailed", {
  fields: {
    command: Schema.String,
    problem: Schema.String,
    errno: Schema.optionalKey(Schema.String),
    directory: Schema.optionalKey(Schema.String)
  },
  code: "spawn_failed",
  category: "spawn",
  retryable: ({ errno }) => temporary.has(errno),
  message: ({ command, problem, directory }) =>
    directory === undefined
      ? `"${command}" could not be started: ${problem}`
      : `The private files of the run could not be written in ${JSON.stringify(directory)}: ${problem}`
})

/** A parameter or option is invalid; the call had no effect. */
export interface InvalidParams extends ReasonParts<"InvalidParams", "invalid_params", "invalid_request", false> {
  /** Its name, with a dot for each level: `timeouts.idle`. */
  readonly option: string
  /** To follow the name: `is not a known field`. */
  readonly problem: string
}

export const InvalidParams = reason<InvalidParams>()("InvalidParams", {
  fields: { option: Schema.String, problem: Schema.String },
  ...facts("invalid_params", "invalid_request", false),
  message: ({ option, problem }) => `${option}: ${problem}`
})

/** The CLI does not support an option; the call had no effect. */
export interface UnsupportedOption
  extends ReasonParts<"UnsupportedOption", "unsupported_option", "invalid_request", false> {
  /** Its name. */
  readonly option: string
  /** The id of the CLI. */
  readonly cli: string
}

export const UnsupportedOption = reason<UnsupportedOption>()("UnsupportedOption", {
  fields: { option: Schema.String, cli: Schema.String },
  ...facts("unsupported_option", "invalid_request", false),
  message: ({ cli, option }) => `${cli} does not support ${option}`
})

/** An attachment cannot be read, is not of the declared type, is too large, or of a kind that the CLI does not take. */
export interface AttachmentRefused
  extends ReasonParts<"AttachmentRefused", "attachment_refused", "invalid_request", false> {
  /** Its name. */
  readonly attachment: string
  /** The problem and the cure, to follow the name. */
  readonly problem: string
}

export const AttachmentRefused = reason<AttachmentRefused>()("AttachmentRefused", {
  fields: { attachment: Schema.String, problem: Schema.String },
  ...facts("attachment_refused", "invalid_request", false),
  message: ({ attachment, problem }) => `The attachment ${JSON.stringify(attachment)} ${problem}`
})

/** An option is too long for the command line; nothing was started. */
export interface CommandLineTooLong
  extends ReasonParts<"CommandLineTooLong", "command_line_too_long", "invalid_request", false> {
  /** Its name. */
  readonly option: string
  /** Its length. */
  readonly bytes: number
  /** The greatest length. */
  readonly limitBytes: number
}

export const CommandLineTooLong = reason<CommandLineTooLong>()("CommandLineTooLong", {
  fields: { option: Schema.String, bytes: Schema.Int, limitBytes: Schema.Int },
  ...facts("command_line_too_long", "invalid_request", false),
  message: ({ option, bytes, limitBytes }) =>
    `${option} has ${bytes} bytes; the command line takes at most ${limitBytes}`
})

/** A settings file of the user cannot be extended for the run; it is untouched, and nothing was started. */
export interface SettingsUnreadable
  extends ReasonParts<"SettingsUnreadable", "settings_unreadable", "invalid_request", false> {
  /** Absolute path. */
  readonly file: string
  /** To follow the path. */
  readonly problem: string
}

export const SettingsUnreadable = reason<SettingsUnreadable>()("SettingsUnreadable", {
  fields: { file: Schema.String, problem: Schema.String },
  ...facts("settings_unreadable", "invalid_request", false),
  message: ({ file, problem }) => `${file} ${problem}`
})
