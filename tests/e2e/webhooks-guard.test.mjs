// Webhooks are no way into the operator's network: whatever form an address has, and whatever a name comes to mean.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Authority } from './lib/certificates.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';
import { Hooks, localhostAllowed } from './lib/webhooks.mjs';
