/** A repository with a person's own work in it, conversations that work beside it, and hosts that are killed. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Job } from "./host.ts"
import { type Kill, killingGit } from "./killingGit.ts"

const script = fileURLToPath(new URL("host.ts", import.meta.url))

/** How a host ends: killed by its git, or from outside after a time in ms; undefined: by itself. */
export type Death = Kill | { readonly afterMs: number } | undefined

export interface HostEnd {
  readonly outcome: string
  readonly isKilled: boolean
  /** Calls of git. */
  readonly calls: number
}

export const makeWorktreeRoom = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "reins-chaos-")))
  const repository = join(root, "shop")
  const state = join(root, "state")
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(root, "home"),
    TMPDIR: join(root, "tmp"),
    XDG_STATE_HOME: state,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1"
  }
  for (const directory of [repository, env.HOME, env.TMPDIR, state]) mkdirSync(directory, { recursive: true })
  const author = ["-c", "user.name=a", "-c", "user.email=a@b"]
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", [...author, ...args], {
      cwd: repository,
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), content)
  }
  git("init", "--quiet")
  for (let at = 0; at < 20; at += 1) put(`src/f${at}.txt`, `line ${at}\n`.repeat(20))
  git("add", "--all")
  git("commit", "--quiet", "--message", "first")
  // The person's own, uncommitted work: staged, changed and new.
  put("src/f18.txt", "mine, staged\n")
  git("add", "src/f18.txt")
  put("src/f19.txt", "mine, changed\n")
  put("mine.txt", "mine, new\n")
  let hosts = 0

  const run = async (
    job: Omit<Job, "repository" | "store" | "files"> & Partial<Job>,
    death: Death
  ): Promise<HostEnd> => {
    hosts += 1
    const { folder, calls } = killingGit(
      join(root, `bin${hosts}`),
      death !== undefined && "at" in death ? death : undefined
    )
    const whole: Job = { repository, store: join(root, "store"), files: {}, ...job }
    const host = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, JSON.stringify(whole)], {
      env: { ...env, PATH: `${folder}${delimiter}${env.PATH}` },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const exited = once(host, "exit")
    const outcome = text(host.stdout)
    if (death !== undefined && "afterMs" in death) {
      await Promise.race([once(host.stdout, "data"), exited])
      await Promise.race([sleep(death.afterMs), exited])
      host.kill("SIGKILL")
    }
    const [, signal] = await exited
    return { outcome: (await outcome).split("\n").at(-2) ?? "", isKilled: signal === "SIGKILL", calls: calls() }
  }

  const filesBelow = (directory: string, prefix = ""): ReadonlyArray<readonly [string, string]> =>
    readdirSync(directory, { withFileTypes: true })
      .filter(({ name }) => !(prefix === "" && name === ".git"))
      .flatMap((entry) => {
        const path = join(directory, entry.name)
        const name = `${prefix}${entry.name}`
        return entry.isDirectory() ? filesBelow(path, `${name}/`) : [[name, readFileSync(path, "utf8")] as const]
      })
  /** The index of the person, byte for byte, its HEAD, and all files of the working tree. */
  const picture = () => ({
    index: readFileSync(join(repository, ".git/index")).toString("base64"),
    head: git("rev-parse", "HEAD"),
    modified: lstatSync(join(repository, ".git/index")).mtimeMs,
    files: Object.fromEntries(filesBelow(repository))
  })
  return {
    root,
    repository,
    state,
    git,
    put,
    run,
    picture,
    remove: () => rmSync(root, { recursive: true, force: true })
  }
}

export type WorktreeRoom = ReturnType<typeof makeWorktreeRoom>
export type Picture = ReturnType<WorktreeRoom["picture"]>
