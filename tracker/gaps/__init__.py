"""Images that were lost or could not be used, and how balls keep their names over them."""
