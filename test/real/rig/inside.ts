// Runs scripts of this repository in a loopback-only network namespace, with an environment made from nothing and a
// home and a temp folder that are gone afterwards. What they leave running is ended and told.
import { spawn } from "node:child_process"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { launcherEnvironment } from "./environment.ts"
import { commandOf, otherVersions, type PinnedCli } from "./install.ts"
import { endLeftovers } from "./leftovers.ts"

interface Surroundings {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Takes what the command writes, both streams; without it, that is this terminal's. */
  readonly onOutput?: (text: string) => void
}

/** Runs a command to its end, gives its exit code. Ctrl-C reaches it by itself; SIGTERM is passed on. */
export const runCommand = (command: string, args: ReadonlyArray<string>, { cwd, env, onOutput }: Surroundings) =>
  new Promise<number>((resolve, reject) => {
    const stdio = onOutput === undefined ? "inherit" : (["ignore", "pipe", "pipe"] as const)
    const child = spawn(command, args, { cwd, env, stdio: stdio === "inherit" ? stdio : [...stdio] })
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", onOutput ?? (() => {}))
    const pass = () => child.kill("SIGTERM")
    const wait = () => undefined
    process.on("SIGTERM", pass).on("SIGINT", wait)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      process.off("SIGTERM", pass).off("SIGINT", wait)
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })

interface InsideOptions {
  /** A script for this Node, and its arguments. */
  readonly script: ReadonlyArray<string>
  /** Flags of `unshare`, as `findNamespace` found them. */
  readonly flags: ReadonlyArray<string>
  /** Its PATH. */
  readonly clis: ReadonlyArray<PinnedCli>
  readonly root: string
  readonly onOutput?: (text: string) => void
}

export const runInside = async ({ script, flags, clis, root, onOutput }: InsideOptions) => {
  const folder = await mkdtemp(join(tmpdir(), "reins-"))
  const [home, tmp] = [join(folder, "home"), join(folder, "tmp")]
  try {
    await Promise.all([mkdir(home), mkdir(tmp)])
    const env = {
      ...launcherEnvironment({ home, tmp, commands: clis.map(commandOf) }),
      // So that these tests can be run with every line parsed, too.
      REINS_GLANCE: process.env["REINS_GLANCE"],
      [otherVersions]: process.env[otherVersions] ?? clis.map(({ name, version }) => `${name}@${version}`).join(",")
    }
    const code = await runCommand("unshare", [...flags, process.execPath, ...script], {
      cwd: root,
      env,
      ...(onOutput && { onOutput })
    })
    return { code, leftovers: endLeftovers(folder) }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
