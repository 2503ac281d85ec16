/** A task queue on BullMQ, with Redis or Valkey. @module */
export { type BullJob, type BullMQOptions, type BullQueue, type BullWorker, bullmq } from '../tasks/queues/bullmq.ts'
