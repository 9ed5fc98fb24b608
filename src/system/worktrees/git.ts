/**
 * git as a child process, with a time limit. A repository is data of strangers, whose configuration can name programs
 * (hooks, filters, a monitor of files, transports, diff drivers): none of them is run.
 */
import { delimiter } from "node:path"
import { Effect, FileSystem, Schedule, Schema } from "effect"
import { runMarker } from "../../contract/Plan.ts"
import { excerptOf } from "../../contract/text/excerpt.ts"
import { untraced } from "../../contract/untraced.ts"
import { findCommand } from "../process/findCommand.ts"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { makeRunId } from "../process/host.ts"
import { ask, type QuestionOptions } from "../process/probe.ts"

/** A directory → the git repository it is in, as far as worktrees need it. Nothing is changed. */
export interface Repository {
  /** The directory, without symbolic links. */
  readonly directory: string
  /** From the top of the repository to the directory; empty at the top. */
  readonly prefix: string
  /** The directory of git that all worktrees of the repository share. */
  readonly gitDirectory: string
  /** The id of the commit that is checked out. */
  readonly head: string
}

const cure = 'give each agent a workingDirectory of its own, or use permissionMode "plan"'

export const findRepository = Effect.fn(...untraced("Git.findRepository"))(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* Effect.mapError(
    fs.realPath(path),
    () => new GitFailed({ problem: `${JSON.stringify(path)} does not exist` })
  )
  const place = { workingDirectory: directory }
  const ask = (...args: ReadonlyArray<string>) =>
    Effect.map(git(place, ["rev-parse", ...args]), ({ stdout }) => stdout.replace(/\n$/, ""))
  const shared = yield* Effect.mapError(
    ask("--path-format=absolute", "--git-common-dir"),
    ({ problem }) =>
      new GitFailed({ problem: `${JSON.stringify(directory)} is not in a git repository (${problem}): ${cure}` })
  )
  const head = yield* Effect.mapError(
    ask("--verify", "HEAD^{commit}"),
    () => new GitFailed({ problem: `the git repository of ${JSON.stringify(directory)} has no commit yet` })
  )
  const repository: Repository = { directory, prefix: yield* ask("--show-prefix"), gitDirectory: shared, head }
  return repository
})

export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  /** For people: the rest of a sentence about what was asked of git. */
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

/** Where a command works. `gitDirectory` is given where the files there may have been changed by an agent. */
export interface GitPlace {
  readonly workingDirectory: string
  readonly gitDirectory?: string
  /** Another index than the worktree's own. */
  readonly indexFile?: string
}

/** Checking out or adding the files of a large repository takes longest. */
const timeout = "2 minutes"
/** Variables of the host that git needs. Its own (`GIT_DIR` and the like) are left out. */
const inheritedNames = [
  "PATH",
  "HOME",
  "XDG_CONFIG_HOME",
  "TMPDIR",
  "USERPROFILE",
  "SystemRoot",
  "APPDATA",
  "PROGRAMDATA"
]

/** Overrides every file of the configuration. */
const settings: ReadonlyArray<readonly [key: string, value: string]> = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["diff.external", ""],
  // Otherwise a diff is run in a nested repository, whose configuration is not looked at.
  ["diff.submodule", "short"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["safe.bareRepository", "explicit"]
]

const fixedVariables = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  GIT_EDITOR: ":",
  // No transport has this name: nothing is fetched, also in a partial clone.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_LITERAL_PATHSPECS: "1",
  // Looking at a repository leaves its index as it is.
  GIT_OPTIONAL_LOCKS: "0",
  // Commits have this library as their author, and never the user.
  GIT_AUTHOR_NAME: "reins",
  GIT_AUTHOR_EMAIL: "reins@localhost",
  GIT_COMMITTER_NAME: "reins",
  GIT_COMMITTER_EMAIL: "reins@localhost"
}

/** As variables and not as `-c`, which splits a key at its first `=`. */
const settingsIn = (pairs: ReadonlyArray<readonly [key: string, value: string]>) => ({
  GIT_CONFIG_COUNT: String(pairs.length),
  ...Object.fromEntries(
    pairs.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value]
    ])
  )
})

const findGit = Effect.gen(function* () {
  const directories = ((yield* HostEnvironment)["PATH"] ?? "").split(delimiter)
  return (yield* findCommand("git", directories)) ?? (yield* new GitFailed({ problem: "git was not found on PATH" }))
})

/** `maxLength`: of stdout, in characters; default: 1,000,000. */
type Exchange = Pick<QuestionOptions, "maxLength" | "stdin" | "encoding">

interface GitCommand extends GitPlace, Exchange {
  readonly args: ReadonlyArray<string>
  readonly settings: ReadonlyArray<readonly [key: string, value: string]>
}

const call = Effect.fn(...untraced("Git.call"))(function* (command: GitCommand) {
  const { args, settings, workingDirectory, gitDirectory, indexFile, ...exchange } = command
  const host = yield* HostEnvironment
  const inherited = inheritedNames.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]] as const]))
  const env = {
    ...Object.fromEntries(inherited),
    ...fixedVariables,
    ...settingsIn(settings),
    ...(gitDirectory === undefined ? {} : { GIT_DIR: gitDirectory, GIT_WORK_TREE: workingDirectory }),
    ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
    [runMarker]: yield* makeRunId
  }
  const path = yield* findGit
  const answer = yield* ask({ maxLength: 1_000_000, ...exchange, path, args, timeout, workingDirectory, env })
  if (answer._tag === "Unanswered") return yield* new GitFailed({ problem: `git ${args[0]} ${answer.problem}` })
  return answer
})

/** Sections with names of their own, whose keys are programs. */
const programsOf: Readonly<Record<string, ReadonlyArray<readonly [key: string, value: string]>>> = {
  filter: Object.entries({ clean: "", smudge: "", process: "", required: "false" }),
  hook: Object.entries({ command: ":", enabled: "false" })
}

/** The settings that keep every program that the configuration names from being run; found anew for each command. */
const safeSettings = Effect.fn(...untraced("Git.safeSettings"))(function* (place: GitPlace) {
  const args = ["config", "-z", "--includes", "--get-regexp", "^(filter|hook)\\.|^core\\.hookspath$"]
  const { exitCode, stdout, stderr, isCut } = yield* call({ ...place, args, settings })
  // Exit code 1: no difference.
  if (exitCode > 1) return yield* new GitFailed({ problem: problemOf(args, stderr) })
  const entries = stdout.split("\0").map((entry) => entry.split("\n"))
  // Before 2.31 git does not read settings from its environment.
  const hooksPath = entries.findLast(([key]) => key === "core.hookspath")?.[1]
  if (isCut || hooksPath !== "/dev/null") {
    return yield* new GitFailed({ problem: isCut ? "its configuration is too long" : "git 2.31 or newer is needed" })
  }
  const sections = new Set(entries.flatMap(([key = ""]) => /^(?:filter|hook)\..*\./s.exec(key) ?? []))
  const programs = [...sections].flatMap((section) =>
    (programsOf[section.split(".")[0] ?? ""] ?? []).map(([key, value]) => [`${section}${key}`, value] as const)
  )
  return [...settings, ...programs]
})

const problemOf = (args: ReadonlyArray<string>, stderr: string) =>
  `git ${args[0]} failed${stderr.trim() === "" ? "" : `: ${excerptOf(stderr)}`}`

/** git (2.39) creates a worktree's files one by one, and `git worktree list` fails at once on an empty one. */
const isHalfMade = ({ problem }: GitFailed) => /: fatal: failed to read .*\/worktrees\/\S+: /.test(problem)

/** Fails unless git exits with 0. */
export const git = Effect.fn(...untraced("System.git"))(
  function* (place: GitPlace, args: ReadonlyArray<string>, exchange: Exchange = {}) {
    const answer = yield* call({ ...place, ...exchange, args, settings: yield* safeSettings(place) })
    if (answer.exitCode !== 0) return yield* new GitFailed({ problem: problemOf(args, answer.stderr) })
    return answer
  },
  Effect.retry({ while: isHalfMade, times: 20, schedule: Schedule.spaced("50 millis") })
)
