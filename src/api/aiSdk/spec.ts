/**
 * Types of the AI SDK's provider specification, version 4, by way of `ai`, which its users have: they need no further
 * package. Nothing of `ai` is loaded for them.
 */
import type { LanguageModel } from "ai"

export type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>
export type CallOptions = Parameters<Model["doGenerate"]>[0]
export type Prompt = CallOptions["prompt"]
export type Message = Prompt[number]
export type MessagePart = Exclude<Message["content"], string>[number]
export type FilePart = Extract<MessagePart, { readonly type: "file" }>
export type ToolOutput = Extract<MessagePart, { readonly type: "tool-result" }>["output"]
export type GenerateResult = Awaited<ReturnType<Model["doGenerate"]>>
export type Content = GenerateResult["content"][number]
export type Warning = GenerateResult["warnings"][number]
export type Usage = GenerateResult["usage"]
export type FinishReason = GenerateResult["finishReason"]
export type Metadata = NonNullable<GenerateResult["providerMetadata"]>[string]
type StreamResult = Awaited<ReturnType<Model["doStream"]>>
export type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never
