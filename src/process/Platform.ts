/** What a run needs from the platform; `NodeServices.layer` of `@effect/platform-node` has all of it. */
import type { FileSystem, Path } from "effect"
import type { ChildProcessSpawner } from "effect/process"

export type Platform = ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path
