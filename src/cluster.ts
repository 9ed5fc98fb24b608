/** Conversations on many machines: a home that performs turns, and callers who ask them. As Effect layers, and with promises. */

export { type ClusterAgentOptions, clusterAgent } from "./cluster/ClusterAgent.ts"
export type { ClusterTimings } from "./cluster/ClusterEngine.ts"
export { ClusterError } from "./cluster/ClusterError.ts"
export { type ClusterClientOptions, layerClusteredSessions } from "./cluster/ClusteredSessions.ts"
export { ClusterHome, type HomeOptions } from "./cluster/ClusterHome.ts"
