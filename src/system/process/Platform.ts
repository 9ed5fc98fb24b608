/** The services that runs need. `NodeServices.layer` of `@effect/platform-node` provides all of them, too. */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { type FileSystem, Layer, type Path } from "effect"
import type { ChildProcessSpawner } from "effect/process"

export type Platform = ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path

/** Unlike `NodeServices.layer` (4.1.0), it adds no listener to the host's stdin each time it is built. */
export const nodePlatform: Layer.Layer<Platform> = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.merge(NodeFileSystem.layer, NodePath.layer)
)
