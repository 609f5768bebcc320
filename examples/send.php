<?php
// Sends a message, waits until it has arrived, and lists the newest ones. With PHP 8 and its curl extension.
//
//   php examples/send.php [TO [TEXT [ORDER]]]
//
// ORDER makes the message one of a kind: the same ORDER twice is one message. See README.md beside this.
declare(strict_types=1);

final class ApiError extends Exception
{
    public readonly ?int $retryAfter;

    public function __construct(array $answer)
    {
        $field = isset($answer['field']) ? " (field {$answer['field']})" : '';
        parent::__construct("{$answer['code']}: {$answer['message']}$field");
        $this->retryAfter = $answer['retryAfter'] ?? null;
    }
}

function request(string $method, string $path, ?array $body = null, array $headers = []): array
{
    static $curl = null;
    $curl ??= curl_init();
    curl_reset($curl);
    curl_setopt_array($curl, [
        CURLOPT_URL => (getenv('SKYLARK_URL') ?: 'https://127.0.0.1:8443') . $path,
        CURLOPT_CAINFO => getenv('SKYLARK_CA') ?: getenv('HOME') . '/.local/share/skylark/ca.pem',
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . getenv('SKYLARK_API_KEY'), 'Content-Type: application/json', ...$headers],
    ]);
    if ($body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
    }
    $answer = curl_exec($curl);
    if ($answer === false) {
        throw new RuntimeException(curl_error($curl));
    }
    $parsed = json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
    if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) >= 300) {
        throw new ApiError($parsed);
    }
    return $parsed;
}

// Tries again what is worth it: the server says when. Thanks to the key nothing is sent twice.
function patiently(mixed ...$call): array
{
    for ($tries = 1;; $tries++) {
        try {
            return request(...$call);
        } catch (ApiError $error) {
            if ($error->retryAfter === null || $tries === 3) {
                throw $error;
            }
            sleep($error->retryAfter);
        }
    }
}

[$to, $text, $order] = array_slice($argv, 1) + ['+15551234567', 'Hello from PHP', bin2hex(random_bytes(16))];
try {
    $message = patiently('POST', '/v1/send', ['to' => $to, 'text' => $text], ["Idempotency-Key: $order"]);
    echo "accepted {$message['messageId']}: {$message['status']}\n";
    while (in_array($message['status'], ['scheduled', 'queued', 'sent'], true)) {
        usleep(200_000);
        $before = $message['status'];
        $message = patiently('GET', "/v1/messages/{$message['messageId']}");
        if ($message['status'] !== $before) {
            echo "now {$message['status']}\n";
        }
    }
    echo "newest messages:\n";
    foreach (patiently('GET', '/v1/messages?limit=3')['data'] as $entry) {
        echo "  {$entry['messageId']}  {$entry['status']}  {$entry['to']}\n";
    }
    exit($message['status'] === 'delivered' ? 0 : 1);
} catch (ApiError | RuntimeException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
