/** Fresh folders for one run of a real CLI, gone when they are disposed of. */
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Real paths in one temporary folder, which goes with all of them when this is disposed of. */
export interface Folders extends AsyncDisposable {
  /** The home directory. */
  readonly home: string
  /** For temporary files: `TMPDIR`. */
  readonly tmp: string
  /** To be the working directory of the runs: empty but for a `.git`, which makes it the root of a project. */
  readonly work: string
}

/** The empty `.git` makes `work` the CLI's project root whatever lies in the folders above it. */
export const makeFolders = async (): Promise<Folders> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "reins-sandbox-")))
  const [home, tmp, work] = [join(root, "home"), join(root, "tmp"), join(root, "work")]
  await Promise.all([mkdir(home), mkdir(tmp), mkdir(join(work, ".git"), { recursive: true })])
  const dispose = () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  return { home, tmp, work, [Symbol.asyncDispose]: dispose }
}
