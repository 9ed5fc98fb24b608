/**
 * Remedies for each reason of failure, and each category of errors that a CLI reports; pure. Names of options are in
 * backticks: the program replaces them by its flags, and leaves out those in parentheses without a flag.
 */
import type { ErrorCategory } from "./ErrorCategory.ts"
import type { FailureReason } from "./FailureReason.ts"
import type { WatchState } from "./Failures.ts"
import { installHelp } from "./Refusals.ts"

const byCategory: { readonly [Category in ErrorCategory]: string } = {
  auth: "Sign in with the CLI, or set its API key: `reins doctor` says how.",
  billing: "Check the plan and the credit of the account that the CLI uses.",
  rate_limit: "Wait until the limit is over, then run it again, or start fewer runs at once (`limits`).",
  overloaded: "Wait a little, then run it again, or with another model (`fallbackModel`).",
  context_overflow: "Start a new session, or give it less to read.",
  invalid_request: "Correct what the message names, and run it again.",
  network: "Check the network and its proxy, then run it again.",
  not_installed: "Install the CLI: `reins doctor` says how.",
  spawn: "Check that the program may be executed, then run it again.",
  timeout: "Run it again, or raise the limit (`timeouts`).",
  aborted: "Nothing is wrong: it was stopped. Its session can be resumed.",
  permission: "Allow what the message names, by `permissionMode`, `allowedTools` or a rule (`approvals`).",
  session_not_found: "Resume in the directory where the session began, or start a new one.",
  protocol: "Run it again; if it repeats, compare the version of the CLI by `reins doctor`.",
  crash: "Run it again; if it repeats, compare the version of the CLI by `reins doctor`.",
  busy: "Wait until the other run has ended, then run it again.",
  other: "Read the message, and the end of stderr (`result.stderrTail`); `reins doctor` checks the CLI itself."
}

const byState: { readonly [State in WatchState]: string } = {
  startup: "Check the network and the MCP servers that it starts with, or raise the limit (`timeouts.startup`).",
  idle: "Check the network, or raise `timeouts.idle` for a model that thinks longer.",
  tool: "Give long commands a limit of their own, or raise `timeouts.tool`.",
  approval: "Answer requests sooner, or raise the limit (`timeouts.approval`).",
  total: "Ask for less in one run, or raise `timeouts.total`; its session can be resumed."
}

/** Remedies by the beginning of the problem, as `problems.ts` of the store writes it. */
const storeCures: ReadonlyArray<readonly [begin: string, cure: string]> = [
  ["no space", "Free some space there, then run it again."],
  ["the database refuses this user", "Correct the user and the password of its URL, then run it again."],
  ["the database does not exist", "Create it there, or correct its URL, then run it again."]
]

const refusalHelp = (gate: string, isTemporary: boolean) => {
  if (isTemporary) return "Run it again later."
  return gate === "cluster"
    ? "Do as the message says; nothing was started."
    : "The application itself refuses this: see the gate that the message names."
}

type Help = { readonly [Tag in FailureReason["_tag"]]: (reason: Extract<FailureReason, { _tag: Tag }>) => string }

const byReason: Help = {
  NotInstalled: installHelp,
  SpawnFailed: ({ retryable, directory }) =>
    directory !== undefined
      ? "Make it writable, with free space, or name another temporary directory: TMPDIR."
      : retryable
        ? "The machine is short of memory, processes or open files: run it again later, or fewer at once (`limits`)."
        : "Check that the program may be executed, and what `command` and `workingDirectory` say.",
  InvalidParams: ({ option }) => `Correct \`${option}\`; the call had no effect.`,
  UnsupportedOption: ({ option }) => `Leave \`${option}\` out, or choose a CLI that has it; the call had no effect.`,
  AttachmentRefused: () => "Leave the attachment out, change it as the message says, or choose a CLI that takes it.",
  CommandLineTooLong: ({ option }) => `Shorten \`${option}\`, or put the text into a file that the prompt names.`,
  SettingsUnreadable: () => "Correct the file, or move it away; nothing was started.",
  LimitReached: () => "Run it again later, or raise the limit or the time to wait for it (`limits`).",
  Refused: ({ gate, retryable }) => refusalHelp(gate, retryable),
  SessionBusy: () =>
    'Wait until the other run has ended, let it wait longer (`limits.busyWait`), or use `whenBusy: "fork"`.',
  SessionElsewhere: ({ directory, home }) =>
    home !== undefined
      ? "Ask for its conversation in the cluster, move it here (`reins sessions move`), or start a new session."
      : `Resume it with \`workingDirectory\` ${JSON.stringify(directory)}, or start a new session; in a worktree, only the latter is possible (\`fresh\`).`,
  TurnMismatch: () => "Give each turn an id of its own (`turnId`).",
  StoreUnavailable: ({ problem }) =>
    storeCures.find(([begin]) => problem.startsWith(begin))?.[1] ??
    "Run it again later; `reins doctor` examines the store.",
  BudgetExceeded: ({ freeAt }) =>
    freeAt === undefined
      ? "Raise the limit (`budgets`), or ask for less."
      : "Run it again when the budget is free, raise its limit (`budgets`), or ask for less.",
  BillingMismatch: ({ policy }) =>
    policy === "subscription"
      ? "Sign in with an account and remove API keys from the CLI's own settings, or leave `billing` out."
      : "Set an API key, or leave `billing` out.",
  PermissionModeMismatch: () => "Remove what overrides the mode, in the CLI's settings or a wrapper, or ask for less.",
  SessionChanged: () => "Resume by the id, in the directory where the session began, or start a new session.",
  SchemaNotMet: () => "Run it again, describe the form in the prompt, or ask for a simpler one.",
  Aborted: ({ closed }) =>
    closed === undefined ? byCategory.aborted : "Close it after its last use; a session can be resumed by its id.",
  TimedOut: ({ state }) => byState[state],
  AgentFailed: ({ category }) => byCategory[category],
  Exited: ({ category }) => byCategory[category],
  Killed: ({ signal }) =>
    signal === "SIGKILL"
      ? "Give the machine more memory, or run fewer agents at once (`limits`)."
      : "Find out which process sent the signal, then run it again.",
  NoResult: () => byCategory.protocol,
  TurnInterrupted: () =>
    'Look at what it has done, then ask with `onInterrupted: "continue"` or `onInterrupted: "again"`.'
}

/** The remedy for a failure; one or two sentences for people, with the names of the library. */
export const helpOf = <Tag extends FailureReason["_tag"]>(
  reason: Extract<FailureReason, { readonly _tag: Tag }>
): string => byReason[reason._tag as Tag](reason)
