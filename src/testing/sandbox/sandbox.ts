/** Fresh folders and an environment that lead a real CLI to a scripted server, isolated from this machine. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { CliId } from "../../contract/CliSupport.ts"
import { checkedId } from "../dialects.ts"
import { type SurroundingsOptions, surroundingsOf } from "./surroundings.ts"

/** Real paths in one temporary folder, which goes with all of them when this is disposed of. */
export interface Folders extends AsyncDisposable {
  readonly home: string
  /** For temporary files: `TMPDIR`. */
  readonly tmp: string
  /** Working directory for runs: empty but for a `.git`, which makes it the CLI's project root. */
  readonly work: string
}

export const makeFolders = async (): Promise<Folders> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "reins-sandbox-")))
  const [home, tmp, work] = [join(root, "home"), join(root, "tmp"), join(root, "work")]
  await Promise.all([mkdir(home), mkdir(tmp), mkdir(join(work, ".git"), { recursive: true })])
  const dispose = () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  return { home, tmp, work, [Symbol.asyncDispose]: dispose }
}

/** `path`: where the CLI is found, default this process's own PATH. `retries`: of requests that failed, default 0. */
export type SandboxOptions = Pick<SurroundingsOptions, "path" | "retries">

/** Where a real CLI can run with a scripted server. Its folders are gone when it is disposed of. */
export interface Sandbox extends Folders {
  /** The whole environment of the CLI, for those who start it themselves. */
  readonly values: Readonly<Record<string, string>>
  /** The `env` of an agent, `createAgent("claude", { env: sandbox.env })`, without this process's environment. */
  readonly env: {
    readonly policy: "allow-list"
    readonly allow: ReadonlyArray<never>
    readonly values: Readonly<Record<string, string>>
  }
}

/** Writes the files of the surroundings into the home. */
export const writeSurroundings = async (cli: CliId, { home, ...options }: SurroundingsOptions) => {
  const { env, files } = surroundingsOf(cli, { home, ...options })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), content)
  }
  return env
}

/**
 * Fresh folders and an environment in which this real CLI asks the scripted server, with a made-up key, and finds no
 * sign-in, setting or proxy of the machine. Give runs its `env`, and its `work` as their `workingDirectory`; the CLI
 * itself has to be installed. Disposed of by `await using`, or by a scope with `scoped` of `reins/testing/effect`. Rejects with the
 * file system's error where the folders cannot be written.
 */
export const makeSandbox = async (
  cli: CliId,
  server: { readonly url: string },
  options: SandboxOptions = {}
): Promise<Sandbox> => {
  checkedId(cli)
  const folders = await makeFolders()
  try {
    const values = await writeSurroundings(cli, { ...folders, url: server.url, ...options })
    return { ...folders, values, env: { policy: "allow-list", allow: [], values } }
  } catch (error) {
    await folders[Symbol.asyncDispose]()
    throw error
  }
}
