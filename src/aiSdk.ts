/** Door for the AI SDK of Vercel (`ai`): its functions over the agents. Its declarations name no type of Effect. */
export type * from "./api/aiSdk/AiSdk.ts"
export { createReins, reins } from "./api/aiSdk/Reins.ts"
