/** Door for the AI SDK of Vercel (`ai`): its functions over the agents. Its declarations name no type of Effect. */
export type * from "./aiSdk/AiSdk.ts"
export { createReins, reins } from "./aiSdk/Reins.ts"
