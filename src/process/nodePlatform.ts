/**
 * What a run needs, on Node. Less than `NodeServices.layer` of `@effect/platform-node` (4.1.0), which listens to the
 * host's stdin for each time it is built.
 */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Layer } from "effect"
import type { Platform } from "./Platform.ts"

export const nodePlatform: Layer.Layer<Platform> = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.merge(NodeFileSystem.layer, NodePath.layer)
)
