/** Prepares the files of a new worktree as its user wants: copies of ignored files, and a command line. */
import { constants } from "node:fs"
import { lstat, mkdir, open, realpath } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { Duration, Effect } from "effect"
import { codeOf } from "../../contract/errors/system.ts"
import { toMillis } from "../../contract/Input.ts"
import { runMarker } from "../../contract/Plan.ts"
import { excerptOf } from "../../contract/text/excerpt.ts"
import { untraced } from "../../contract/untraced.ts"
import type { WorktreeOptions } from "../../contract/WorktreeOptions.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { Host, makeRunId } from "../../system/process/host.ts"
import { ask } from "../../system/process/probe.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { GitFailed, git } from "../../system/worktrees/git.ts"

const longestFile = 10 * 1024 * 1024

const failed = (problem: string) => new GitFailed({ problem })

/** The nearest directory above a path that exists. */
const existingAbove = async (path: string): Promise<string> => {
  const above = dirname(path)
  const isThere = (await lstat(above).catch(() => undefined)) !== undefined
  return isThere ? above : existingAbove(above)
}

const copyOne = async (from: string, to: string, path: string) => {
  const info = await lstat(join(from, path)).catch(() => undefined)
  // A file that is not there in this directory is not needed there.
  if (info === undefined) return
  const inner = await realpath(dirname(join(from, path)))
  if (inner !== from && !inner.startsWith(from + sep))
    throw failed(`copy: ${JSON.stringify(path)} is outside of the directory`)
  const reading = await readRegular(join(from, path), longestFile, readFlags.notFollowing).catch((cause) => {
    throw failed(`copy: ${JSON.stringify(path)} cannot be read: ${codeOf(cause) ?? String(cause)}`)
  })
  if (reading._tag !== "Read") {
    throw failed(
      `copy: ${JSON.stringify(path)} ${reading._tag === "TooLarge" ? "is larger than 10 MB" : "is not a regular file"}`
    )
  }
  const above = await realpath(await existingAbove(join(to, path)))
  if (above !== to && !above.startsWith(to + sep))
    throw failed(`copy: ${JSON.stringify(path)} is below a link of the repository`)
  await mkdir(dirname(join(to, path)), { recursive: true })
  const mode = Number(reading.info.mode) & 0o777
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(join(to, path), flags, mode)
  try {
    await handle.writeFile(reading.bytes)
  } finally {
    await handle.close()
  }
}

/** Copies only files that git ignores in the worktree: others would become a part of the changes. */
const copyFiles = Effect.fn(...untraced("SetUp.copyFiles"))(function* (
  from: string,
  to: string,
  paths: ReadonlyArray<string>
) {
  if (paths.length === 0) return
  const refuseListed = Effect.fnUntraced(function* (...how: ReadonlyArray<string>) {
    const { stdout } = yield* git({ workingDirectory: to }, ["ls-files", "-z", ...how, "--", ...paths])
    const [first = ""] = stdout.split("\0")
    if (first === "") return
    return yield* failed(
      `copy: ${JSON.stringify(first)} is not ignored by git, so it would become a part of the changes: add it to .gitignore and commit that, or leave it out`
    )
  })
  yield* refuseListed("--cached")
  yield* Effect.tryPromise({
    try: async () => {
      const [real, target] = [await realpath(from), await realpath(to)]
      for (const path of paths) await copyOne(real, target, path)
    },
    catch: (cause) => (cause instanceof GitFailed ? cause : failed(`copy: ${codeOf(cause) ?? String(cause)}`))
  })
  yield* refuseListed("--others", "--exclude-standard")
})

const shellOf = (platform: NodeJS.Platform, host: Readonly<Record<string, string | undefined>>, line: string) =>
  platform === "win32"
    ? { path: host["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", line] }
    : { path: "/bin/sh", args: ["-c", line] }

const runSetup = Effect.fn(...untraced("SetUp.runSetup"))(function* (
  workingDirectory: string,
  { setup, setupTimeout = "10 minutes" }: WorktreeOptions
) {
  if (setup === undefined) return
  const { platform } = yield* Host
  const host = yield* HostEnvironment
  const inherited = Object.entries(host).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  const answer = yield* ask({
    ...shellOf(platform, host, setup),
    workingDirectory,
    timeout: Duration.millis(toMillis(setupTimeout)),
    // With the mark of a run, so that the reaper ends it after the death of this host.
    env: { ...Object.fromEntries(inherited), [runMarker]: yield* makeRunId }
  })
  if (answer._tag === "Unanswered") return yield* failed(`setup ${answer.problem}: change it, or raise setupTimeout`)
  if (answer.exitCode === 0) return
  const words = excerptOf(answer.stderr.trim() === "" ? answer.stdout : answer.stderr)
  return yield* failed(
    `setup ended with ${answer.exitCode}${words === "" ? "" : `: ${words}`}. Correct it; the next turn runs it again`
  )
})

/** `from`: the directory of the person. `to`: the same place in the worktree. */
export const setUp = Effect.fn(...untraced("SetUp.setUp"))(function* (
  from: string,
  to: string,
  options: WorktreeOptions
) {
  yield* copyFiles(from, to, options.copy ?? [])
  yield* runSetup(to, options)
})
