"""Evidence beyond proofs: is it about something, would an error show, what is believed?"""
