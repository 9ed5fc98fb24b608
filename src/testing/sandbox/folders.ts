/** Fresh folders for one run of a real CLI, gone when they are disposed of. */
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Folders extends AsyncDisposable {
  readonly home: string
  readonly tmp: string
  /** To be the working directory. */
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
