/** How credentials are given, for help and messages. */
export const S3_HELP =
  "Files in S3 are named s3://bucket/key. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN sign in (without\nthem: public buckets), AWS_REGION says where, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL name a server other than AWS.";
