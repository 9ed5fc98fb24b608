/** A small disk of its own for a host's state, in the mount namespace of the campaign: it is filled, and emptied again. */
import { spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

/** A process in a mount namespace of its own. */
export const inNamespace = "REINS_CHAOS_MOUNTS"

const ways = [["-m"], ["-rm"]] as const

/** With root's rights, then with those of a user namespace; undefined: nothing can be mounted here. */
export const mountFlags = (): ReadonlyArray<string> | undefined =>
  ways.find((flags) => spawnSync("unshare", [...flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0)

export interface Disk {
  /** Nothing more can be written; what became free meanwhile is taken, too. */
  readonly fill: () => void
  readonly empty: () => void
  readonly remove: () => void
}

const block = Buffer.alloc(256 * 1024, 1)

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined)

/** Writes at the end of a file until no block and no page more is taken. */
const pour = (path: string) => {
  const file = openSync(path, "a", 0o600)
  let size = block.length
  try {
    while (size >= 1) {
      try {
        writeSync(file, block, 0, size)
      } catch (error) {
        if (codeOf(error) !== "ENOSPC") throw error
        size = Math.floor(size / 4)
      }
    }
  } finally {
    closeSync(file)
  }
}

/** A file system of so many MiB, at a new directory. */
export const mountDisk = (directory: string, sizeMiB: number): Disk => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMiB}m,mode=700`, "tmpfs", directory])
  if (mounted.status !== 0) throw new Error(`a disk could not be mounted: ${mounted.stderr}`)
  const ballast = join(directory, "ballast")
  return {
    fill: () => pour(ballast),
    empty: () => rmSync(ballast, { force: true }),
    remove: () => void spawnSync("umount", ["-l", directory])
  }
}
